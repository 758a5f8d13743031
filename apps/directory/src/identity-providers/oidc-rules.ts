// The rules of an identity provider of OpenID Connect.
import type { ProviderSettings } from '@signet/protocol/fields/identity-provider'
import type { ProviderType } from '@signet/protocol/identity-provider-types'
import { isLoopbackHost } from '@signet/protocol/redirect-uri'
import { entraTenant } from './presets.ts'

type Rule = readonly [isBroken: boolean, field: string, rule: string]

/** The rules about logout that a provider of another type may break. */
export function logoutRules({
  type,
  rpInitiatedLogout,
  backchannelLogout,
}: Pick<ProviderSettings, 'backchannelLogout' | 'rpInitiatedLogout'> & {
  readonly type: ProviderType
}): readonly Rule[] {
  const rule = `must be false with type ${type}`
  const hasLogout = type === 'oidc' || type === 'saml'
  return [
    [!hasLogout && rpInitiatedLogout, 'rpInitiatedLogout', rule],
    [!hasLogout && backchannelLogout, 'backchannelLogout', rule],
  ]
}

/** The rules that a provider of OpenID Connect may break. */
export function oidcRules(
  provider: Pick<ProviderSettings, 'issuer' | 'requiredClaims' | 'scopes'>,
): readonly Rule[] {
  const { issuer, scopes, requiredClaims } = provider
  const issuerRule = issuer === '' ? 'is required: the preset has none' : issuerProblem(issuer)
  return [
    [issuerRule !== undefined, 'issuer', issuerRule ?? ''],
    [!scopes.includes('openid'), 'scopes', 'must include openid'],
    [
      entraTenant(issuer)?.isShared === true && requiredClaims.tid === undefined,
      'requiredClaims',
      'must have tid: people of every tenant sign in by this issuer',
    ],
  ]
}

/** The rule that an issuer breaks (OpenID Connect Discovery 1.0 section 3). */
function issuerProblem(issuer: string): string | undefined {
  const rule = 'must be an https URL without query and fragment; http is for loopback hosts'
  if (!URL.canParse(issuer)) return rule
  const { protocol, hostname, username, password } = new URL(issuer)
  if (/[?#\s]/.test(issuer) || username !== '' || password !== '') return rule
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname)) ? undefined : rule
}
