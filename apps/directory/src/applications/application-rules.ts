import { applicationUriProblem, plainHttpProblem } from '@signet/protocol/redirect-uri'

/** A day: how long an access token or an ID token of an application may live. */
export const MOST_LIFETIME_SECONDS = 86_400

/** The settings that rules across several settings read; a malformed one counts as absent. */
interface RuledSettings {
  readonly type?: string | undefined
  readonly authMethod?: string | undefined
  readonly devMode: boolean
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
  readonly backChannelLogoutUri?: string | null | undefined
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
    ...backChannelProblems(settings),
  ]
}

/** Whether it is a public client (RFC 6749 section 2.1). */
export function isPublic({ type, authMethod }: Pick<RuledSettings, 'type' | 'authMethod'>): boolean {
  return authMethod === 'none' || (authMethod === undefined && (type === 'userAgent' || type === 'native'))
}

function uriProblems(settings: RuledSettings, member: 'redirectUris' | 'postLogoutRedirectUris'): Problem[] {
  return settings[member].flatMap((uri, at) => {
    const rule = URL.canParse(uri) ? applicationUriProblem(uri, settings) : undefined
    return rule === undefined ? [] : [{ field: `${member}[${at}]`, rule }]
  })
}

function backChannelProblems({ backChannelLogoutUri: uri, devMode }: RuledSettings): Problem[] {
  const rule = uri && URL.canParse(uri) ? plainHttpProblem(uri, devMode) : undefined
  return rule === undefined ? [] : [{ field: 'backChannelLogoutUri', rule }]
}
