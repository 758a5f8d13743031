import { isLoopbackHost } from '@signet/protocol/redirect-uri'

/** The grant types that a policy may allow: at each of them a person allows the client access. */
export const REGISTERED_GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'urn:ietf:params:oauth:grant-type:device_code',
] as const

export const REGISTERED_AUTH_METHODS = [
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
] as const

/** The clients that an initial access token lets its holders register. */
export interface RegistrationPolicy {
  /** Hosts of https redirect URIs and of the URL that begins a sign-in; each is a host, or `*.` and the domain that it is below. */
  readonly redirectHosts: readonly string[]
  /** Whether http redirect URIs of loopback hosts are allowed. */
  readonly loopbackRedirects: boolean
  readonly grantTypes: readonly (typeof REGISTERED_GRANT_TYPES)[number][]
  readonly authMethods: readonly (typeof REGISTERED_AUTH_METHODS)[number][]
}

/** The settings of an application that a policy decides. */
interface DecidedSettings {
  readonly authMethod: (typeof REGISTERED_AUTH_METHODS)[number]
  readonly grantTypes: readonly (typeof REGISTERED_GRANT_TYPES)[number][]
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
  readonly initiateLoginUri: string | null
}

/** The parts of a policy that a client breaks, by the settings of its application. */
export function policyProblems(
  settings: DecidedSettings,
  policy: RegistrationPolicy,
): readonly { readonly field: string; readonly rule: string }[] {
  const uris = (field: 'redirectUris' | 'postLogoutRedirectUris') =>
    settings[field].flatMap((uri, at) =>
      isAllowedUri(uri, policy) ? [] : [{ field: `${field}[${at}]`, rule: REDIRECT_RULE }],
    )
  const { initiateLoginUri } = settings
  const isStart = initiateLoginUri === null || isAllowedHost(new URL(initiateLoginUri), policy)
  const refusedGrants = settings.grantTypes.filter((type) => !policy.grantTypes.includes(type))
  return [
    ...(policy.authMethods.includes(settings.authMethod) ? [] : [{ field: 'authMethod', rule: POLICY_RULE }]),
    ...refusedGrants.map(() => ({ field: 'grantTypes', rule: POLICY_RULE })),
    ...uris('redirectUris'),
    ...uris('postLogoutRedirectUris'),
    ...(isStart ? [] : [{ field: 'initiateLoginUri', rule: START_RULE }]),
  ]
}

const POLICY_RULE = 'has a value that the initial access token does not allow'
const REDIRECT_RULE =
  'must use https and a host that the initial access token allows, or http and a loopback host where it allows these'
const START_RULE = 'must use https and a host that the initial access token allows'

/** The rules of every redirect URI hold already, so that it has no user name. */
function isAllowedUri(uri: string, policy: RegistrationPolicy): boolean {
  const url = new URL(uri)
  if (url.protocol === 'http:') return policy.loopbackRedirects && isLoopbackHost(url.hostname)
  return isAllowedHost(url, policy)
}

const isAllowedHost = ({ protocol, hostname }: URL, { redirectHosts }: RegistrationPolicy) =>
  protocol === 'https:' && redirectHosts.some((pattern) => isHostOf(pattern, hostname))

const isHostOf = (pattern: string, host: string) =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern
