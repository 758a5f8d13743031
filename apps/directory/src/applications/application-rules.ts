import { ApiError } from '@signet/admin-api/api-error'
import type { Caller } from '@signet/admin-api/caller'
import { holdsRole } from '@signet/admin-api/require-role'
import {
  type ApplicationSettings,
  type ApplicationType,
  RECIPIENT_SETTINGS,
  URL_SETTINGS,
} from '@signet/protocol/application-settings'
import {
  CERTIFICATE_NAME_SETTINGS,
  type CertificateNameSetting,
  certificateNameProblems,
} from '@signet/protocol/certificate-subject'
import { fapi2Problems } from '@signet/protocol/fapi2'
import { type ClientAuthMethod, GRANT_TYPES } from '@signet/protocol/grant-types'
import { applicationUriProblem, plainHttpProblem } from '@signet/protocol/redirect-uri'
import type { Application, ApplicationChanges } from './application.schema.ts'

/** The settings whose values limit each other; a malformed one counts as absent. */
interface CrossCheckedSettings
  extends Readonly<Partial<Record<CertificateNameSetting, string | null | undefined>>> {
  readonly type?: string | undefined
  readonly authMethod?: string | undefined
  readonly devMode: boolean
  readonly exactLocalhostPort?: boolean | undefined
  readonly fapi2?: boolean | undefined
  readonly pkceOptional?: boolean | undefined
  readonly dpopBoundAccessTokens?: boolean | undefined
  readonly tlsClientCertificateBoundAccessTokens?: boolean | undefined
  readonly responseTypes?: readonly string[] | undefined
  readonly grantTypes?: readonly string[] | undefined
  readonly idTokenSigningAlg?: string | undefined
  readonly accessTokenType?: string | undefined
  readonly accessTokenSigningAlg?: string | undefined
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
  readonly backChannelLogoutUri?: string | null | undefined
  readonly homePage?: string | null | undefined
  readonly initiateLoginUri?: string | null | undefined
}

/** The settings whose values limit each other. A change of other settings does not check stored ones again. */
export const CROSS_CHECKED = [
  'type',
  'authMethod',
  'devMode',
  'exactLocalhostPort',
  'redirectUris',
  'postLogoutRedirectUris',
  ...([
    'fapi2',
    'pkceOptional',
    'dpopBoundAccessTokens',
    'tlsClientCertificateBoundAccessTokens',
    'responseTypes',
    'grantTypes',
    'idTokenSigningAlg',
    'accessTokenType',
    'accessTokenSigningAlg',
  ] as const),
  ...URL_SETTINGS,
  ...CERTIFICATE_NAME_SETTINGS,
] as const satisfies readonly (keyof CrossCheckedSettings)[]

interface Problem {
  readonly field: string
  readonly rule: string
}

/** Returns the rules that the settings of an application break in combination. */
export function applicationProblems(settings: CrossCheckedSettings): readonly Problem[] {
  const { type, authMethod } = settings
  const isWrongForApi = type === 'api' && (authMethod === 'none' || authMethod === 'client_secret_post')
  return [
    ...(isWrongForApi
      ? [
          {
            field: 'authMethod',
            rule: 'an api application uses client_secret_basic, private_key_jwt or a certificate',
          },
        ]
      : []),
    ...(type === 'userAgent' && isWithSecret(authMethod)
      ? [{ field: 'authMethod', rule: SECRET_IN_BROWSER }]
      : []),
    ...(settings.exactLocalhostPort && type !== 'native'
      ? [
          {
            field: 'exactLocalhostPort',
            rule: 'only native applications may set it; all others need the registered port',
          },
        ]
      : []),
    ...(settings.fapi2 ? fapi2Problems(settings) : []),
    ...certificateNameProblems(settings),
    ...(settings.dpopBoundAccessTokens && settings.tlsClientCertificateBoundAccessTokens
      ? [{ field: 'tlsClientCertificateBoundAccessTokens', rule: TWO_BINDINGS }]
      : []),
    ...uriProblems(settings, 'redirectUris'),
    ...uriProblems(settings, 'postLogoutRedirectUris'),
    ...URL_SETTINGS.flatMap((member) => urlProblems(settings, member)),
  ]
}

const TWO_BINDINGS =
  'excludes dpopBoundAccessTokens: a token is bound to a certificate or to the key of a proof'

const SECRET_IN_BROWSER =
  'an application of the type userAgent runs in the browser, where a secret is none: use none, with PKCE, or the type web'

/** Whether the method is a shared secret. */
export function isWithSecret(authMethod: string | undefined): boolean {
  return authMethod === 'client_secret_basic' || authMethod === 'client_secret_post'
}

/** Whether it is a public client (RFC 6749 section 2.1). */
export function isPublic({ type, authMethod }: Pick<CrossCheckedSettings, 'type' | 'authMethod'>): boolean {
  return authMethod === 'none' || (authMethod === undefined && (type === 'userAgent' || type === 'native'))
}

function uriProblems(
  settings: CrossCheckedSettings,
  member: 'redirectUris' | 'postLogoutRedirectUris',
): Problem[] {
  return settings[member].flatMap((uri, at) => {
    const rule = URL.canParse(uri) ? applicationUriProblem(uri, settings) : undefined
    return rule === undefined ? [] : [{ field: `${member}[${at}]`, rule }]
  })
}

function urlProblems(settings: CrossCheckedSettings, field: (typeof URL_SETTINGS)[number]): Problem[] {
  const uri = settings[field]
  const rule = uri && URL.canParse(uri) ? plainHttpProblem(uri, settings.devMode) : undefined
  return rule === undefined ? [] : [{ field, rule }]
}

type Defaulted = Pick<ApplicationSettings, 'authMethod' | 'responseTypes' | 'grantTypes'>

const CODE_FLOW = {
  responseTypes: ['code'],
  grantTypes: [GRANT_TYPES.authorizationCode, GRANT_TYPES.refreshToken],
} as const

/** Defaults of an application by its type, docs/spec 6.8. */
export const APPLICATION_DEFAULTS: Readonly<Record<ApplicationType, Defaulted>> = {
  web: { ...CODE_FLOW, authMethod: 'client_secret_basic' },
  userAgent: { ...CODE_FLOW, authMethod: 'none' },
  native: { ...CODE_FLOW, authMethod: 'none' },
  api: { responseTypes: [], grantTypes: [], authMethod: 'client_secret_basic' },
}

/**
 * The flags that only an IAM_OWNER sets. While one is true, the administrators of the organization cannot change who
 * receives the tokens of the application.
 */
export interface OwnerOnlyFlags {
  readonly mayCallApi: boolean
  readonly firstParty: boolean
}

export const OWNER_ONLY_FLAGS = [
  'mayCallApi',
  'firstParty',
] as const satisfies readonly (keyof OwnerOnlyFlags)[]

const IAM_OWNER = { role: 'IAM_OWNER' } as const

/** Throws ApiError PERMISSION_DENIED when a caller below IAM_OWNER creates an application with such a flag. */
export function requireNoOwnerOnlyFlag(caller: Caller, settings: ApplicationChanges): void {
  const flag = OWNER_ONLY_FLAGS.find((name) => settings[name] === true)
  if (flag !== undefined && !holdsRole(caller, IAM_OWNER)) throw ownerOnly(`${flag} can be set`)
}

/**
 * Returns the changes with their effect on the owner-only flags: a change of the redirect URIs sets firstParty to false
 * unless an IAM_OWNER states it. Throws ApiError PERMISSION_DENIED when a caller below IAM_OWNER sets a flag, changes
 * mayCallApi, or changes who receives the tokens of an application that keeps a flag.
 */
export function withOwnerOnlyFlags(
  caller: Caller,
  before: Application,
  changes: ApplicationChanges,
): ApplicationChanges {
  const isOwner = holdsRole(caller, IAM_OWNER)
  const clearsFirstParty =
    before.firstParty &&
    isDifferentSet(changes.redirectUris ?? before.redirectUris, before.redirectUris) &&
    !(isOwner && changes.firstParty === true)
  const settled = clearsFirstParty ? { ...changes, firstParty: false } : changes
  if (isOwner) return settled
  const after = {
    mayCallApi: settled.mayCallApi ?? before.mayCallApi,
    firstParty: settled.firstParty ?? before.firstParty,
  }
  if (after.mayCallApi !== before.mayCallApi) throw ownerOnly('mayCallApi can be changed')
  if (after.firstParty && !before.firstParty) throw ownerOnly('firstParty can be set')
  const setting = RECIPIENT_SETTINGS.find(
    (name) => settled[name] !== undefined && !isSame(settled[name], before[name]),
  )
  if (setting !== undefined) requireChangeableRecipients(caller, after, `its ${setting} can be changed`)
  return settled
}

/** Throws ApiError PERMISSION_DENIED for the keys and secrets of an application with such a flag, unless the caller is an IAM_OWNER. */
export function requireChangeableRecipients(caller: Caller, flags: OwnerOnlyFlags, what: string): void {
  if (holdsRole(caller, IAM_OWNER)) return
  if (flags.mayCallApi) throw ownerOnly(`${what} while the application has mayCallApi`)
  if (flags.firstParty)
    throw ownerOnly(`${what} while the application has firstParty; set firstParty to false first`)
}

function ownerOnly(what: string): ApiError {
  return new ApiError('PERMISSION_DENIED', `needs role IAM_OWNER: only with it ${what}`, {
    reason: 'role_missing',
    details: [{ id: 'role_missing', roles: ['IAM_OWNER'] }],
  })
}

const isDifferentSet = (a: readonly string[], b: readonly string[]) =>
  a.some((value) => !b.includes(value)) || b.some((value) => !a.includes(value))

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** Whether clients authenticate with a secret by this method. */
export function hasSecret(authMethod: ClientAuthMethod): boolean {
  return authMethod === 'client_secret_basic' || authMethod === 'client_secret_post'
}
