// The members of an identity provider of SAML 2.0, and their rules.
import { type KeyObject, X509Certificate } from 'node:crypto'
import { CONSUMER_PREFIXES, isConsumerPath } from '@signet/protocol/assertion-consumer'
import { publicKeyProblem } from '@signet/protocol/public-key'
import { isLoopbackHost } from '@signet/protocol/redirect-uri'
import {
  EMAIL_ADDRESS,
  NAME_ID_CLAIM,
  PERSISTENT,
  TRANSIENT,
  UNSPECIFIED,
} from '@signet/protocol/saml-provider'
import { z } from 'zod'
import { ASSERTION_ENCRYPTIONS, type ProviderSettings } from './identity-provider.ts'

export type SamlMembers = Pick<
  ProviderSettings,
  | 'assertionConsumerPath'
  | 'assertionEncryption'
  | 'certificates'
  | 'nameIdFormat'
  | 'providerInitiated'
  | 'providerInitiatedClientId'
  | 'signAuthnRequests'
  | 'sloUrl'
  | 'ssoUrl'
  | 'wantAssertionsSigned'
>

/** Number of certificates of one provider. */
export const MOST_CERTIFICATES = 10

const MOST_URL_CHARACTERS = 2_000

/** Formats of a NameID that identifies a person for good, and the one that an attribute has to stand beside. */
const NAME_ID_FORMATS = [PERSISTENT, EMAIL_ADDRESS, UNSPECIFIED, TRANSIENT] as const

export const samlMembers = {
  ssoUrl: z
    .string()
    .max(MOST_URL_CHARACTERS)
    .nullable()
    .describe('The SingleSignOnService of a SAML provider with the binding HTTP-Redirect.'),
  sloUrl: z
    .string()
    .max(MOST_URL_CHARACTERS)
    .nullable()
    .describe(
      'The SingleLogoutService of a SAML provider with the binding HTTP-Redirect. rpInitiatedLogout and backchannelLogout use it, and need it.',
    ),
  certificates: z
    .array(z.string().min(1).max(10_000))
    .max(MOST_CERTIFICATES)
    .describe(
      'Certificates whose keys sign responses of a SAML provider, in PEM or DER in base64; several for a rollover.',
    ),
  nameIdFormat: z
    .enum(NAME_ID_FORMATS)
    .nullable()
    .describe(
      'The format of the NameID that a SAML provider is asked for and has to send. Null: it is asked for none, and any but a transient one is taken.',
    ),
  assertionConsumerPath: z
    .string()
    .max(500)
    .nullable()
    .describe(
      `The path of the Assertion Consumer Service below the issuer, with its query, where a SAML provider knows another one than /ui/identity-providers/{id}/callback: that of the product before. Below ${CONSUMER_PREFIXES.join(', ')}. Only IAM_OWNER sets it.`,
    ),
  wantAssertionsSigned: z
    .boolean()
    .describe('Both the response of a SAML provider and the assertion in it have to be signed.'),
  assertionEncryption: z
    .enum(ASSERTION_ENCRYPTIONS)
    .describe(
      'Whether a SAML provider encrypts assertions: none refuses encrypted ones, required refuses others. Signet makes a key for it, and its metadata has the certificate.',
    ),
  signAuthnRequests: z
    .boolean()
    .describe(
      'Requests to a SAML provider are signed by a key that Signet makes for it; its metadata has the certificate.',
    ),
  providerInitiated: z
    .boolean()
    .describe(
      'A sign-in may begin at a SAML provider. Its response without a request signs no person in: Signet leads the browser back with a request, and takes the response to that.',
    ),
  providerInitiatedClientId: z
    .string()
    .min(1)
    .max(200)
    .nullable()
    .describe(
      'The client id of an application of the organization, at whose initiateLoginUri or homePage a sign-in ends that began at the provider. Null, or without such an address: at the own account.',
    ),
}

type Rule = readonly [isBroken: boolean, field: string, rule: string]

/** The rules that a provider of SAML may break. */
export function samlRules(
  provider: SamlMembers &
    Pick<
      ProviderSettings,
      | 'backchannelLogout'
      | 'clientAuthentication'
      | 'crossAppAccess'
      | 'issuer'
      | 'rpInitiatedLogout'
      | 'scopes'
      | 'subjectClaim'
      | 'trustedEmailDomains'
    >,
): readonly Rule[] {
  const { issuer, ssoUrl, sloUrl, certificates } = provider
  const signsOut = provider.rpInitiatedLogout || provider.backchannelLogout
  return [
    [
      !/^[\x21-\x7e]{1,500}$/.test(issuer),
      'issuer',
      'is required: the entity id of the provider, 500 characters at most, without spaces',
    ],
    [
      ssoUrl === null || ssoUrl.length > MOST_URL_CHARACTERS || !isTlsUrl(ssoUrl),
      'ssoUrl',
      'must be an https URL of 2000 characters at most without fragment; http is for loopback hosts',
    ],
    [
      sloUrl !== null && (sloUrl.length > MOST_URL_CHARACTERS || !isTlsUrl(sloUrl)),
      'sloUrl',
      'must be an https URL of 2000 characters at most without fragment; http is for loopback hosts',
    ],
    [
      sloUrl === null && signsOut,
      'sloUrl',
      'is required by rpInitiatedLogout and backchannelLogout: messages of a sign-out go there',
    ],
    [certificates.length === 0, 'certificates', 'is required: responses are signed by them'],
    [certificates.length > MOST_CERTIFICATES, 'certificates', `may have ${MOST_CERTIFICATES} at most`],
    [
      !certificates.every((certificate) => storedCertificate(certificate) !== undefined),
      'certificates',
      'must be X.509 certificates with RSA keys of 2,048 to 4,096 bits, or keys of P-256, P-384 or P-521',
    ],
    [
      provider.nameIdFormat === TRANSIENT && provider.subjectClaim === NAME_ID_CLAIM,
      'nameIdFormat',
      'may be transient only with a subjectClaim that names an attribute: another NameID comes at each sign-in',
    ],
    [
      provider.assertionConsumerPath !== null && !isConsumerPath(provider.assertionConsumerPath),
      'assertionConsumerPath',
      `must be a path of 500 characters at most below ${CONSUMER_PREFIXES.join(', ')}, without escapes and empty or dot segments`,
    ],
    [provider.clientAuthentication !== 'none', 'clientAuthentication', 'must be none with type saml'],
    [provider.scopes.length > 0, 'scopes', 'must be left out with type saml'],
    [provider.crossAppAccess, 'crossAppAccess', 'must be false with type saml'],
    [
      provider.trustedEmailDomains.length > 0,
      'trustedEmailDomains',
      'must be empty with type saml: an assertion does not say whether an address was verified',
    ],
  ]
}

type Conversation = Pick<
  ProviderSettings,
  'assertionEncryption' | 'providerInitiated' | 'providerInitiatedClientId' | 'signAuthnRequests'
>

/** The rules about own keys and about where a sign-in begins, which a provider of another type may break. */
export function withoutConversationRules(provider: Conversation): readonly Rule[] {
  const rule = 'must be left out: it is of type saml'
  return [
    [provider.assertionEncryption !== 'none', 'assertionEncryption', rule],
    [provider.signAuthnRequests, 'signAuthnRequests', rule],
    [provider.providerInitiated, 'providerInitiated', rule],
    [provider.providerInitiatedClientId !== null, 'providerInitiatedClientId', rule],
  ]
}

/** The rules about members of this type that a provider of another one may break. */
export function withoutSamlRules(provider: SamlMembers): readonly Rule[] {
  const rule = 'must be left out: it is of type saml'
  return [
    [provider.ssoUrl !== null, 'ssoUrl', rule],
    [provider.sloUrl !== null, 'sloUrl', rule],
    [provider.certificates.length > 0, 'certificates', rule],
    [provider.wantAssertionsSigned, 'wantAssertionsSigned', rule],
    [provider.nameIdFormat !== null, 'nameIdFormat', rule],
    [provider.assertionConsumerPath !== null, 'assertionConsumerPath', rule],
    ...withoutConversationRules(provider),
  ]
}

/** An https URL without fragment and user, or one of http on a loopback host. */
export function isTlsUrl(url: string): boolean {
  if (!URL.canParse(url) || /[#\s]/.test(url)) return false
  const { protocol, hostname, username, password } = new URL(url)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}

const CURVES = ['prime256v1', 'secp384r1', 'secp521r1']

/** A certificate in PEM or base64 as it is stored; undefined for one whose key verifies no signature here. */
export function storedCertificate(text: string): string | undefined {
  const base64 = text.replaceAll(/-----(?:BEGIN|END) CERTIFICATE-----|[ \t\r\n]/g, '')
  try {
    const { publicKey, raw } = new X509Certificate(Buffer.from(base64, 'base64'))
    return isUsable(publicKey) ? raw.toString('base64') : undefined
  } catch {
    return undefined
  }
}

function isUsable(key: KeyObject): boolean {
  const { namedCurve = '' } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType === 'ec') return CURVES.includes(namedCurve)
  return key.asymmetricKeyType === 'rsa' && publicKeyProblem(key) === undefined
}
