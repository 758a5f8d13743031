import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import {
  changedFields,
  type ManagementCall,
  type ManagementServices,
} from '../management-api/management-call.ts'
import type { Page, PageRequest } from '../management-api/paging.ts'
import { requireMayChooseIds } from '../permissions/permission.ts'
import type { ApplicationFilter, ApplicationStore } from './application.repository.ts'
import type { Application, ApplicationChanges, ApplicationSettings } from './application.schema.ts'
import { applicationProblems, withOwnerOnlyFlags } from './application-rules.ts'

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
export function requireRules(settings: Pick<ApplicationSettings, (typeof RULED)[number]>): void {
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
