import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import type { ApplicationSettings, ApplicationType } from '@signet/protocol/application-settings'
import { CERTIFICATE_NAME_SETTINGS } from '@signet/protocol/certificate-subject'
import { changedFields, type ManagementCall, type Tools } from '../api/management-call.ts'
import type { ClientSecretStore } from '../credentials/client-secret.repository.ts'
import { rotatedSecret } from '../credentials/client-secret.ts'
import { requireMayChooseIds } from '../permissions/permission.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { ApplicationFilter, ApplicationStore } from './application.repository.ts'
import type { Application, ApplicationChanges } from './application.schema.ts'
import {
  APPLICATION_DEFAULTS,
  applicationProblems,
  CROSS_CHECKED,
  hasSecret,
  requireNoOwnerOnlyFlag,
  withOwnerOnlyFlags,
} from './application-rules.ts'

interface Stores {
  readonly applications: ApplicationStore
  readonly clientSecrets: ClientSecretStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

interface Target {
  readonly applicationId: string
}

export function listApplications(
  { seen }: ManagementCall<Stores>,
  { limit, cursor, ...filter }: PageRequest & ApplicationFilter,
  { stores }: Reads,
): Promise<Page<Application>> {
  return stores.applications.list(filter, { limit, cursor }, seen)
}

export function readApplication(
  _call: ManagementCall<Stores>,
  { applicationId }: Target,
  { stores }: Reads,
): Promise<Application> {
  return requireApplication(stores.applications, applicationId)
}

/**
 * Changes the given settings. If the application becomes inactive or its clientId changes, its earlier tokens are revoked in all
 * processes when this resolves. A repeated call publishes its epochs again. Only an IAM_OWNER sets the owner-only flags, and
 * changes who receives the tokens of an application with such a flag.
 */
export function updateApplication(
  call: ManagementCall<Stores>,
  { applicationId, ...asked }: ApplicationChanges & Target,
): Promise<Application> {
  return call.change(async ({ applications }) => {
    const before = await requireApplication(applications, applicationId)
    const { clientId = before.clientId } = asked
    if (clientId !== before.clientId) requireMayChooseIds(call.caller, 'clientId')
    const changes = withOwnerOnlyFlags(call.caller, before, asked)
    if (CROSS_CHECKED.some((setting) => changes[setting] !== undefined)) {
      // A stored method that breaks a rule of today keeps no URI from changing.
      const { fapi2 = before.fapi2 } = changes
      const decisive = [
        changes.type,
        changes.authMethod,
        ...CERTIFICATE_NAME_SETTINGS.map((name) => changes[name]),
      ]
      const changesMethod = fapi2 || decisive.some((value) => value !== undefined)
      requireRules(merged(before, changes), ({ field }) => field !== 'authMethod' || changesMethod)
    }
    const epochs = await applications.update(applicationId, changes)
    const result = await requireApplication(applications, applicationId)
    return { result, epochs, details: changedFields(changes) }
  })
}

/**
 * When it resolves, all tokens of the application are revoked; they stay revoked for a later application with the same ids. A
 * repeated call publishes its epochs again.
 */
export function deleteApplication(call: ManagementCall<Stores>, { applicationId }: Target): Promise<void> {
  return call.change(async ({ applications }) => {
    const epochs = await applications.delete(applicationId)
    if (epochs.length === 0) throw unknownApplication()
    return { result: undefined, epochs }
  })
}

/** Throws ApiError INVALID_ARGUMENT for settings whose values exclude each other. */
function requireRules(
  settings: Parameters<typeof applicationProblems>[0],
  counts: (problem: { readonly field: string }) => boolean = () => true,
): void {
  const problems = applicationProblems(settings).filter(counts)
  if (problems.length > 0) throw invalidFields(problems)
}

/** The settings after a change; a member that is undefined stays as it is. */
function merged(before: Application, changes: ApplicationChanges) {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  return { ...before, ...(Object.fromEntries(given) as Partial<ApplicationSettings>) }
}

/** Returns the application with this id. Throws ApiError NOT_FOUND. */
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

/** Creates an application and, if its method needs one, a secret. Only this response contains the secret. */
export function createApplication(
  call: ManagementCall<Stores>,
  { projectId, ...given }: NewApplication,
  services: Pick<Tools, 'newId' | 'now' | 'random' | 'hasher'>,
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
    homePage = null,
    initiateLoginUri = null,
  } = given
  const urls = { backChannelLogoutUri, homePage, initiateLoginUri }
  const uris = { redirectUris, postLogoutRedirectUris, ...urls }
  requireRules({ ...given, type, authMethod, devMode, exactLocalhostPort, ...uris })
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
