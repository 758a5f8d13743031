import { emailAddressProblem } from '@signet/protocol/email-address'
import { MAPPED_MEMBERS } from '@signet/protocol/provider-profile'
import { shownTextProblem } from '@signet/protocol/shown-text'
import type { Provider } from './provider.ts'
import { Refused } from './refusal.ts'

type Claims = Readonly<Record<string, unknown>>

/** The members of Profile of proto/federation/v1 with the standard claims that fill them (OpenID Connect Core section 5.1). */
const TEXT_CLAIMS = {
  userName: 'preferred_username',
  givenName: 'given_name',
  familyName: 'family_name',
  nickName: 'nickname',
  displayName: 'name',
  preferredLanguage: 'locale',
} as const
type TextMember = keyof typeof TEXT_CLAIMS

export interface Profile extends Readonly<Record<TextMember, string>> {
  readonly email: string
  readonly emailVerified: boolean
  readonly phone: string
  readonly phoneVerified: boolean
}

/** The claims of a provider about a person; see Assertion of proto/federation/v1. */
export interface Assertion {
  readonly providerId: string
  readonly issuer: string
  readonly subject: string
  readonly authenticatedAt: Date | undefined
  readonly amr: readonly string[]
  readonly acr: string
  readonly profile: Profile
  readonly groups: readonly string[]
  /** `sub` and `sid` of the ID token, or NameID and SessionIndex of SAML; empty without them. */
  readonly tokenSubject: string
  readonly sessionId: string
  /** The format of the NameID in `tokenSubject`; empty without one. */
  readonly nameIdFormat: string
  /** Names that the browser brought without a signature; empty without them. They are no claims of the provider. */
  readonly claimedGivenName: string
  readonly claimedFamilyName: string
}

/** Makes the assertion of claims that were verified. Values that are no text of a sane length are left out. Throws Refused. */
export function createAssertion(
  provider: Provider,
  idToken: Claims,
  userInfo: Claims | undefined,
): Assertion {
  const documents = userInfo === undefined ? [idToken] : [idToken, userInfo]
  const claimOf = (member: string, standard: string) =>
    provider.mappedClaims.find(({ name }) => name === member)?.value ?? standard
  const text = (claim: string, most = MOST_CHARACTERS) =>
    documents.map((document) => textIn(document, claim, most)).find((value) => value !== '') ?? ''
  const texts = Object.entries(TEXT_CLAIMS).map(([member, standard]) => [
    member,
    text(claimOf(MAPPED_MEMBERS[member as TextMember], standard)),
  ])
  const email = withFlag(documents, claimOf('email', 'email'), claimOf('email_verified', 'email_verified'))
  const phone = withFlag(
    documents,
    claimOf('phone', 'phone_number'),
    claimOf('phone_verified', 'phone_number_verified'),
  )
  const isAddress = email.value !== '' && emailAddressProblem(email.value) === undefined
  // The claims of another type are no ID token, and no logout token names them.
  const ofToken = (claim: string) =>
    provider.type === 'oidc' ? textIn(idToken, claim, MOST_SUBJECT_CHARACTERS) : ''
  return {
    providerId: provider.id,
    issuer: `${idToken.iss}`,
    subject: subjectOf(provider, idToken),
    authenticatedAt: dateOf(idToken.auth_time),
    amr: textsIn(idToken.amr, { most: MOST_METHODS, length: MOST_CHARACTERS }),
    acr: textIn(idToken, 'acr'),
    profile: {
      ...(Object.fromEntries(texts) as Record<TextMember, string>),
      email: isAddress ? email.value : '',
      emailVerified: isAddress && email.isVerified,
      phone: phone.value,
      phoneVerified: phone.value !== '' && phone.isVerified,
    },
    tokenSubject: ofToken('sub'),
    sessionId: ofToken('sid'),
    nameIdFormat: '',
    ...{ claimedGivenName: '', claimedFamilyName: '' },
    groups: provider.groupsClaim === '' ? [] : groupsOf(documents, provider.groupsClaim),
  }
}

const MOST_CHARACTERS = 200
/** OpenID Connect Core section 2, `sub`. */
const MOST_SUBJECT_CHARACTERS = 255
const MOST_EMAIL_CHARACTERS = 320
const MOST_METHODS = 20
const MOST_GROUPS = 200
/** A group may be a distinguished name. */
const MOST_GROUP_CHARACTERS = 500

function subjectOf({ subjectClaim }: Provider, idToken: Claims): string {
  const subject = textIn(idToken, subjectClaim, MOST_SUBJECT_CHARACTERS)
  if (subject === '') throw new Refused('subject_missing', { expected: subjectClaim })
  return subject
}

/**
 * Reads a value with its flag from one document: the ID token where it has the value, otherwise userinfo. The flag of one says nothing
 * about the value of the other, and only JSON true is true.
 */
function withFlag(documents: readonly Claims[], claim: string, flag: string) {
  const document = documents.find((candidate) => candidate[claim] !== undefined)
  if (document === undefined) return { value: '', isVerified: false }
  // A flag belongs to the standard claim, unless the provider is set up with another one.
  const belongs = STANDARD_FLAGS[flag] === undefined || STANDARD_FLAGS[flag] === claim
  return {
    value: textIn(document, claim, MOST_EMAIL_CHARACTERS),
    isVerified: belongs && document[flag] === true,
  }
}

const STANDARD_FLAGS: Readonly<Record<string, string>> = {
  email_verified: 'email',
  phone_number_verified: 'phone_number',
}

function groupsOf(documents: readonly Claims[], claim: string): readonly string[] {
  const value = documents.map((document) => document[claim]).find((candidate) => candidate !== undefined)
  if (Array.isArray(value) && value.length > MOST_GROUPS) {
    throw new Refused('too_many_groups', { received: value.length, expected: `at most ${MOST_GROUPS}` })
  }
  return textsIn(value, { most: MOST_GROUPS, length: MOST_GROUP_CHARACTERS })
}

/** A claim that is a text that pages can show; empty for another one. */
export function textIn(document: Claims, claim: string, most = MOST_CHARACTERS): string {
  const value = Object.hasOwn(document, claim) ? document[claim] : undefined
  return isText(value, most) ? value : ''
}

function textsIn(
  value: unknown,
  { most, length }: { readonly most: number; readonly length: number },
): readonly string[] {
  if (!Array.isArray(value)) return []
  return value.filter((one): one is string => isText(one, length)).slice(0, most)
}

function isText(value: unknown, most: number): value is string {
  return (
    typeof value === 'string' && value !== '' && value.length <= most && shownTextProblem(value) === undefined
  )
}

/** A date that a Timestamp can hold. */
function dateOf(seconds: unknown): Date | undefined {
  return typeof seconds === 'number' && seconds > 0 && seconds < 253_402_300_800
    ? new Date(seconds * 1_000)
    : undefined
}
