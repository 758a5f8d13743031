// The rules of an identity provider of SAML 2.0.
import { type KeyObject, X509Certificate } from 'node:crypto'
import { CONSUMER_PREFIXES, isConsumerPath } from '@signet/protocol/assertion-consumer'
import type { ProviderSettings } from '@signet/protocol/fields/identity-provider'
import { publicKeyProblem } from '@signet/protocol/public-key'
import { isLoopbackHost } from '@signet/protocol/redirect-uri'
import {
  EMAIL_ADDRESS,
  NAME_ID_CLAIM,
  PERSISTENT,
  TRANSIENT,
  UNSPECIFIED,
} from '@signet/protocol/saml-provider'

/** Number of certificates of one provider. */
export const MOST_CERTIFICATES = 10

/** Number of characters of an address of a SAML provider. */
export const MOST_URL_CHARACTERS = 2_000

/** Formats of a NameID that identifies a person for good, and the one that an attribute has to stand beside. */
export const NAME_ID_FORMATS = [PERSISTENT, EMAIL_ADDRESS, UNSPECIFIED, TRANSIENT] as const

type Rule = readonly [isBroken: boolean, field: string, rule: string]

/** The rules that a provider of SAML may break. */
export function samlRules(provider: ProviderSettings): readonly Rule[] {
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
