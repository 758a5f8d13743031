// The rules of an identity provider of GitHub, which issues no ID token.

import type { ProviderSettings } from './identity-provider.ts'
import { isTlsUrl } from './saml-members.ts'

/** The members of a new provider of this type that a request leaves out. */
export const GITHUB_DEFAULTS = {
  ...{ issuer: 'https://github.com', scopes: ['read:user', 'user:email'], subjectClaim: 'id' },
  clientAuthentication: 'client_secret_post',
} as const satisfies Partial<ProviderSettings>

type Rule = readonly [isBroken: boolean, field: string, rule: string]

type Checked = Pick<
  ProviderSettings,
  | 'clientAuthentication'
  | 'crossAppAccess'
  | 'groupsClaim'
  | 'issuer'
  | 'mappedClaims'
  | 'requiredClaims'
  | 'subjectClaim'
  | 'trustsMethods'
>

/** The rules that a provider of GitHub may break. */
export function githubRules(provider: Checked): readonly Rule[] {
  const { issuer, clientAuthentication, subjectClaim, requiredClaims, mappedClaims } = provider
  const noClaims = 'must be empty with type github: there is no ID token'
  return [
    [
      !isTlsUrl(issuer) || new URL(issuer).origin !== issuer,
      'issuer',
      'must be https://github.com, or the https URL of a server of GitHub Enterprise without a path',
    ],
    [
      clientAuthentication !== 'client_secret_post',
      'clientAuthentication',
      'must be client_secret_post with type github',
    ],
    [subjectClaim !== 'id', 'subjectClaim', 'must be id with type github: names and addresses change'],
    [Object.keys(requiredClaims).length > 0, 'requiredClaims', noClaims],
    [Object.keys(mappedClaims).length > 0, 'mappedClaims', noClaims],
    [provider.groupsClaim !== null, 'groupsClaim', 'must be null with type github: there is no ID token'],
    [provider.crossAppAccess, 'crossAppAccess', 'must be false with type github'],
    [provider.trustsMethods, 'trustsMethods', 'must be false with type github: it names no methods'],
  ]
}
