import { isLoopbackHost } from '@signet/service-runtime/loopback-host'

/** What rules that concern several settings look at; whatever is malformed counts as absent. */
interface RuledSettings {
  readonly type?: string | undefined
  readonly authMethod?: string | undefined
  readonly devMode: boolean
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
}

interface Problem {
  readonly field: string
  readonly rule: string
}

/** Every rule that the settings of an application break together. */
export function applicationProblems(settings: RuledSettings): readonly Problem[] {
  const { type, authMethod } = settings
  const isWrongForApi = type === 'api' && (authMethod === 'none' || authMethod === 'client_secret_post')
  return [
    ...(isWrongForApi
      ? [{ field: 'authMethod', rule: 'an api application uses client_secret_basic or private_key_jwt' }]
      : []),
    ...uriProblems(settings, 'redirectUris'),
    ...uriProblems(settings, 'postLogoutRedirectUris'),
  ]
}

/** Whether it is a public client (RFC 6749 section 2.1). */
export function isPublic({ type, authMethod }: Pick<RuledSettings, 'type' | 'authMethod'>): boolean {
  return authMethod === 'none' || (authMethod === undefined && (type === 'userAgent' || type === 'native'))
}

function uriProblems(settings: RuledSettings, member: 'redirectUris' | 'postLogoutRedirectUris'): Problem[] {
  return settings[member].flatMap((uri, at) => {
    const rule = URL.canParse(uri) ? schemeProblem(settings, new URL(uri)) : undefined
    return rule === undefined ? [] : [{ field: `${member}[${at}]`, rule }]
  })
}

/** RFC 8252 sections 7 and 8.4; http is for loopback, for development and for servers that hold a secret. */
function schemeProblem(settings: RuledSettings, { protocol, hostname }: URL): string | undefined {
  const { type, devMode } = settings
  if (type === 'api') return 'an api application takes part in no sign-in and has none'
  if (protocol === 'https:') return undefined
  if (protocol !== 'http:') {
    return type === 'native' ? undefined : 'only native applications may use a scheme of their own'
  }
  const confidentialWeb = type === 'web' && !isPublic(settings)
  return devMode || confidentialWeb || isLoopbackHost(hostname)
    ? undefined
    : 'must use https; http is for loopback hosts and devMode'
}
