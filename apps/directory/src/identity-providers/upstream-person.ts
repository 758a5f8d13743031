// The members of an account that an assertion of an identity provider fills, by the rules that the management API has for them.
import { asciiDomain } from '@signet/protocol/domain-name'
import { emailAddressKey } from '@signet/protocol/email-address'
import { EMAIL_ADDRESS, LANGUAGE, NAME, PHONE_NUMBER, type ValueRule } from '@signet/protocol/member-values'
import { preparedUserName, userNameProblem } from '@signet/protocol/user-name'
import type { Email, Phone, Profile } from '../accounts/account.ts'
import type { StoredProvider } from './identity-provider.ts'

/** Claims of a provider about a person. Members that it leaves out are empty. */
export interface AssertedProfile {
  readonly userName: string
  readonly givenName: string
  readonly familyName: string
  readonly nickName: string
  readonly displayName: string
  readonly preferredLanguage: string
  readonly email: string
  readonly emailVerified: boolean
  readonly phone: string
}

/** A verified assertion of a provider. */
export interface UpstreamAssertion {
  readonly providerId: string
  readonly issuer: string
  readonly subject: string
  readonly amr: readonly string[]
  readonly groups: readonly string[]
  readonly profile: AssertedProfile
  /** Names that no signature covers: the person may have written them. */
  readonly claimedNames: Pick<AssertedProfile, 'givenName' | 'familyName'>
}

const MOST_NAME = 200

const RULES = {
  givenName: NAME,
  familyName: NAME,
  nickName: NAME,
  displayName: NAME,
  preferredLanguage: LANGUAGE,
} as const satisfies { readonly [M in keyof Profile]?: ValueRule }

type Member = keyof typeof RULES

/** The members of an account that the assertion fills. One that breaks a rule is left out, as if the provider did not send it. */
export function assertedMembers(profile: AssertedProfile): { readonly [M in Member]?: string } {
  const given = Object.entries(RULES).flatMap(([member, { prepare, problem }]) => {
    const value = prepare(profile[member as Member])
    return value !== '' && problem(value) === undefined ? [[member, value] as const] : []
  })
  return Object.fromEntries(given)
}

/**
 * The profile of a new account: the name that pages show is the first that there is. Claimed names stand where the provider asserts no name,
 * here and nowhere else: a profile is not updated by them.
 */
export function newProfile(
  { profile, claimedNames }: Pick<UpstreamAssertion, 'claimedNames' | 'profile'>,
  userName: string,
): Profile {
  const isNamed = [profile.givenName, profile.familyName, profile.displayName].some((name) => name !== '')
  const members = assertedMembers(isNamed ? profile : { ...profile, ...claimedNames })
  const { givenName = '', familyName = '' } = members
  const both = `${givenName} ${familyName}`.trim()
  const shown = [members.displayName ?? '', both, userName].find((name) => name !== '') ?? userName
  return { ...members, displayName: [...shown].slice(0, MOST_NAME).join('') }
}

/**
 * The address of the assertion, verified only when the same document says so about the standard claim and the provider is trusted
 * for its domain; undefined without a well-formed one.
 */
export function assertedEmail(
  { email, emailVerified }: Pick<AssertedProfile, 'email' | 'emailVerified'>,
  { mappedClaims, trustedEmailDomains }: Pick<StoredProvider, 'mappedClaims' | 'trustedEmailDomains'>,
): Email | undefined {
  const address = EMAIL_ADDRESS.prepare(email)
  if (address === '' || EMAIL_ADDRESS.problem(address) !== undefined) return undefined
  // email_verified is about the claim email, and about no other one.
  const isStandard = (mappedClaims.email ?? 'email') === 'email'
  const key = emailAddressKey(address)
  const domain = key.slice(key.lastIndexOf('@') + 1)
  const isTrusted = trustedEmailDomains.some((trusted) => asciiDomain(trusted) === domain)
  return { address, verified: emailVerified === true && isStandard && isTrusted }
}

/** The number of the assertion, which no provider is trusted to verify; undefined without a well-formed one. */
export function assertedPhone({ phone }: Pick<AssertedProfile, 'phone'>): Phone | undefined {
  const number = PHONE_NUMBER.prepare(phone)
  return number === '' || PHONE_NUMBER.problem(number) !== undefined ? undefined : { number, verified: false }
}

/**
 * The user name of a new account: that of the assertion, else the address, else the subject. `mayBe` says whether a name in the
 * form of an address may be one; of another one the part before the @ stays. Undefined: none is well formed.
 */
export async function newUserName(
  { profile, subject }: Pick<UpstreamAssertion, 'profile' | 'subject'>,
  mayBe: (address: string) => Promise<boolean>,
): Promise<string | undefined> {
  for (const text of [profile.userName, profile.email, subject]) {
    const whole = preparedUserName(text)
    const keepsDomain = !whole.includes('@') || (await mayBe(whole))
    const name = keepsDomain ? whole : preparedUserName(whole.slice(0, whole.indexOf('@')))
    if (userNameProblem(name) === undefined) return name
  }
  return undefined
}

/** The methods that RFC 8176 section 2 names. */
const METHODS: ReadonlySet<string> = new Set([
  ...['face', 'fpt', 'geo', 'hwk', 'iris', 'kba', 'mca', 'mfa', 'otp', 'pin', 'pop', 'pwd', 'rba'],
  ...['retina', 'sc', 'sms', 'swk', 'tel', 'user', 'vbm', 'wia'],
])

/** The authentication methods of an assertion that count for the session. */
export function countingMethods(
  amr: readonly string[],
  { trustsMethods, type }: Pick<StoredProvider, 'trustsMethods' | 'type'>,
): readonly string[] {
  // The person typed the password here.
  if (type === 'ldap') return amr.filter((method) => method === 'pwd')
  return trustsMethods ? [...new Set(amr.filter((method) => METHODS.has(method)))] : []
}
