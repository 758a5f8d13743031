import { isIP } from 'node:net'
import { getDomain } from 'tldts'
import { ConfigurationError } from './settings.ts'

/** The relying party of passkeys (WebAuthn Level 3 section 4). */
export interface PasskeyParty {
  /** Browsers offer a passkey only where this equals the RP ID that it was made for. */
  readonly rpId: string
  /** The only origin whose responses are accepted: the issuer. */
  readonly origin: string
  /** The origins of `/.well-known/webauthn` beside the issuer; empty: the file does not exist. */
  readonly relatedOrigins: readonly string[]
}

export const PASSKEY_SETTINGS = ['SIGNET_PASSKEY_RP_ID', 'SIGNET_PASSKEY_RELATED_ORIGINS'] as const

interface PasskeySettings {
  readonly SIGNET_PASSKEY_RP_ID?: string | undefined
  readonly SIGNET_PASSKEY_RELATED_ORIGINS?: readonly string[] | undefined
}

/**
 * The relying party of an issuer. Returns undefined for an issuer whose host is an IP address, which no browser accepts
 * as RP ID: there are no passkeys then. Throws ConfigurationError for settings that browsers would not follow.
 */
export function passkeyParty(issuer: string, settings: PasskeySettings = {}): PasskeyParty | undefined {
  const { SIGNET_PASSKEY_RP_ID: given, SIGNET_PASSKEY_RELATED_ORIGINS: relatedOrigins = [] } = settings
  const host = new URL(issuer).hostname
  const isAddress = isIP(host.replace(/[[\]]/g, '')) !== 0
  const rpId = given ?? host
  const problems: string[] = []
  if (given !== undefined && !isSuffixOfHost(given, host)) {
    problems.push(
      `SIGNET_PASSKEY_RP_ID: must be the host of SIGNET_ISSUER (${host}) or a registrable domain that ${host} is below`,
    )
  }
  if (relatedOrigins.length > 0 && rpId !== host) {
    problems.push(
      'SIGNET_PASSKEY_RELATED_ORIGINS: browsers read the file from the host SIGNET_PASSKEY_RP_ID, which is not the issuer; serve it there and remove this setting',
    )
  }
  if (relatedOrigins.length > 0 && isAddress) {
    problems.push('SIGNET_PASSKEY_RELATED_ORIGINS: an issuer whose host is an IP address has no passkeys')
  }
  if (problems.length > 0) throw new ConfigurationError(problems)
  return isAddress ? undefined : { rpId, origin: issuer, relatedOrigins }
}

/** HTML section 7.1.1: the host itself, or a parent of it that is no public suffix. */
function isSuffixOfHost(rpId: string, host: string): boolean {
  if (isIP(host.replace(/[[\]]/g, '')) !== 0) return false
  if (rpId === host) return true
  return host.endsWith(`.${rpId}`) && getDomain(rpId, { allowPrivateDomains: true }) !== null
}
