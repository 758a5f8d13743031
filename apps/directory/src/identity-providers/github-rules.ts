// The rules of an identity provider of GitHub, which issues no ID token.

import type { ProviderSettings } from '@signet/protocol/fields/identity-provider'
import { ORGANIZATION_CLAIM } from '@signet/protocol/github-provider'
import { isTlsUrl } from './saml-rules.ts'

/** The members of a new provider of this type that a request leaves out. */
export const GITHUB_DEFAULTS = {
  ...{ issuer: 'https://github.com', scopes: ['read:user', 'user:email'], subjectClaim: 'id' },
  clientAuthentication: 'client_secret_post',
} as const satisfies Partial<ProviderSettings>

/** The scopes of a new provider that a request leaves out: membership is read where it is a condition. */
export const githubScopes = ({ requiredClaims = {} }: { readonly requiredClaims?: object | undefined }) =>
  Object.keys(requiredClaims).includes(ORGANIZATION_CLAIM)
    ? [...GITHUB_DEFAULTS.scopes, READ_ORGANIZATIONS]
    : GITHUB_DEFAULTS.scopes

const READ_ORGANIZATIONS = 'read:org'
/** Scopes that include it. */
const ORGANIZATION_SCOPES = [READ_ORGANIZATIONS, 'write:org', 'admin:org']

type Rule = readonly [isBroken: boolean, field: string, rule: string]

type Checked = Pick<
  ProviderSettings,
  | 'clientAuthentication'
  | 'crossAppAccess'
  | 'groupsClaim'
  | 'issuer'
  | 'mappedClaims'
  | 'requiredClaims'
  | 'scopes'
  | 'subjectClaim'
  | 'trustsMethods'
>

/** The rules that a provider of GitHub may break. */
export function githubRules(provider: Checked): readonly Rule[] {
  const { issuer, clientAuthentication, subjectClaim, requiredClaims, mappedClaims } = provider
  const { [ORGANIZATION_CLAIM]: organization, ...otherClaims } = requiredClaims
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
    [
      Object.keys(otherClaims).length > 0,
      'requiredClaims',
      `may have ${ORGANIZATION_CLAIM} alone with type github: there is no ID token`,
    ],
    [
      organization !== undefined && !/^[1-9]\d{0,14}$/.test(organization),
      'requiredClaims',
      `must have the number of an organization as ${ORGANIZATION_CLAIM}: its name may pass to another one`,
    ],
    [
      organization !== undefined && !ORGANIZATION_SCOPES.some((scope) => provider.scopes.includes(scope)),
      'scopes',
      `must include ${READ_ORGANIZATIONS} with requiredClaims.${ORGANIZATION_CLAIM}`,
    ],
    [Object.keys(mappedClaims).length > 0, 'mappedClaims', noClaims],
    [provider.groupsClaim !== null, 'groupsClaim', 'must be null with type github: there is no ID token'],
    [provider.crossAppAccess, 'crossAppAccess', 'must be false with type github'],
    [provider.trustsMethods, 'trustsMethods', 'must be false with type github: it names no methods'],
  ]
}
