import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import type { ApplicationType } from '@signet/protocol/application-settings'
import { rotatedSecret } from '../credentials/client-secret.ts'
import {
  changedFields,
  type ManagementCall,
  type ManagementServices,
} from '../management-api/management-call.ts'
import type { Page, PageRequest } from '../management-api/paging.ts'
import { requireMayChooseIds } from '../permissions/permission.ts'
import type { ApplicationFilter, ApplicationStore } from './application.repository.ts'
import type { Application, ApplicationChanges, ApplicationSettings } from './application.schema.ts'
import {
  APPLICATION_DEFAULTS,
  applicationProblems,
  hasSecret,
  requireNoOwnerOnlyFlag,
  withOwnerOnlyFlags,
} from './application-rules.ts'

type Stores = Pick<ManagementServices, 'stores'>

interface Target {
  readonly applicationId: string
}

export function listApplications(
  _call: ManagementCall,
  { limit, cursor, ...filter }: PageRequest & ApplicationFilter,
  { stores }: Stores,
): Promise<Page<Application>> {
  return stores.applications.list(filter, { limit, cursor })
}

export function readApplication(
  _call: ManagementCall,
  { applicationId }: Target,
  { stores }: Stores,
): Promise<Application> {
  return requireApplication(stores.applications, applicationId)
}

/**
 * The settings that rules compare with each other; stored violations are tolerated while none of these
 * changes.
 */
const RULED = [
  'type',
  'authMethod',
  'devMode',
  'exactLocalhostPort',
  'redirectUris',
  'postLogoutRedirectUris',
  'backChannelLogoutUri',
] as const

/**
 * Changes what is given. When it resolves, nothing is active that was made for it before it stopped being active, or
 * under another clientId. Repeating it publishes again. Only an IAM_OWNER sets marks and changes who gets the tokens of
 * a marked application.
 */
export function updateApplication(
  call: ManagementCall,
  { applicationId, ...asked }: ApplicationChanges & Target,
): Promise<Application> {
  return call.change(async ({ applications }) => {
    const before = await requireApplication(applications, applicationId)
    const { clientId = before.clientId } = asked
    if (clientId !== before.clientId) requireMayChooseIds(call.caller, 'clientId')
    const changes = withOwnerOnlyFlags(call.caller, before, asked)
    if (RULED.some((setting) => changes[setting] !== undefined)) requireRules(merged(before, changes))
    const epochs = await applications.update(applicationId, changes)
    const result = await requireApplication(applications, applicationId)
    return { result, epochs, details: changedFields(changes) }
  })
}

/**
 * When it resolves, all tokens made for the application are revoked, also for a later one with the same ids.
 * A repeated call publishes again.
 */
export function deleteApplication(call: ManagementCall, { applicationId }: Target): Promise<void> {
  return call.change(async ({ applications }) => {
    const epochs = await applications.delete(applicationId)
    if (epochs.length === 0) throw unknownApplication()
    return { result: undefined, epochs }
  })
}

/** ApiError INVALID_ARGUMENT for settings that do not go together. */
function requireRules(settings: Pick<ApplicationSettings, (typeof RULED)[number]>): void {
  const problems = applicationProblems(settings)
  if (problems.length > 0) throw invalidFields(problems)
}

function merged(before: Application, changes: ApplicationChanges) {
  const {
    type = before.type,
    authMethod = before.authMethod,
    devMode = before.devMode,
    exactLocalhostPort = before.exactLocalhostPort,
    redirectUris = before.redirectUris,
    postLogoutRedirectUris = before.postLogoutRedirectUris,
    backChannelLogoutUri = before.backChannelLogoutUri,
  } = changes
  const uris = { redirectUris, postLogoutRedirectUris, backChannelLogoutUri }
  return { type, authMethod, devMode, exactLocalhostPort, ...uris }
}

/** The application with this id, or ApiError NOT_FOUND. */
export async function requireApplication(applications: ApplicationStore, id: string): Promise<Application> {
  const application = await applications.find(id)
  if (application === undefined) throw unknownApplication()
  return application
}

function unknownApplication(): ApiError {
  return new ApiError('NOT_FOUND', 'there is no application with this id', { reason: 'application_unknown' })
}

type NewApplication = ApplicationChanges & {
  readonly projectId: string
  readonly name: string
  readonly type: ApplicationType
}

/** Makes an application and, if it authenticates with one, a secret, which is answered here and nowhere again. */
export function createApplication(
  call: ManagementCall,
  { projectId, ...given }: NewApplication,
  services: Pick<ManagementServices, 'newId' | 'now' | 'random' | 'hasher'>,
): Promise<Application & { readonly clientSecret?: string }> {
  requireNoOwnerOnlyFlag(call.caller, given)
  const { type } = given
  const {
    clientId = services.newId(),
    authMethod = APPLICATION_DEFAULTS[type].authMethod,
    devMode = false,
    exactLocalhostPort = false,
    redirectUris = [],
    postLogoutRedirectUris = [],
    backChannelLogoutUri = null,
  } = given
  const uris = { redirectUris, postLogoutRedirectUris, backChannelLogoutUri }
  requireRules({ type, authMethod, devMode, exactLocalhostPort, ...uris })
  return call.change(async ({ applications, clientSecrets }) => {
    const settings = { ...APPLICATION_DEFAULTS[type], ...given, clientId, authMethod }
    await applications.add({ id: call.targetId, projectId, createdAt: services.now(), settings })
    const result = await requireApplication(applications, call.targetId)
    if (!hasSecret(authMethod)) return { result }
    const { stored, shown } = await rotatedSecret(clientId, 0, services)
    await clientSecrets.rotateOfApplication(call.targetId, stored)
    return { result: { ...result, clientSecret: shown.clientSecret } }
  })
}
