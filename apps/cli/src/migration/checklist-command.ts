import { openSuite } from '../access/suite-access.ts'
import { ManagementApiError } from '../api/errors.ts'
import { bodyOf, type Suite } from '../api/suite.ts'
import type { AddCommand, CommandContext } from '../context.ts'
import { applicationsOf, checklistLines } from './checklist.ts'
import {
  type ApplicationState,
  type ServiceState,
  serviceUserName,
  type UriField,
  uriFieldOf,
} from './checklist-tasks.ts'
import { requireId } from './job-commands.ts'
import { type ListedValue, listOfJob } from './job-left-out.ts'

/** `migration checklist` prints what is left to do after an import, and what is done. */
export function addChecklistCommand(add: AddCommand, context: CommandContext): void {
  add('migration checklist')
    .description(
      'lists what is left to do after an import, for each application, with the commands that do it',
    )
    .argument('[job]', 'of the import or dry run')
    .addHelpText(
      'after',
      `
First what prevents a sign-in, then what changes claims, then settings as one line. [x] is done, [ ] is left, [?] cannot be
seen here: the application shows it. Redirect URIs, new secrets and keys, pkceOptional, response types and the roles of service
users named service-account-CLIENT are read from the server each time, so the list counts down.
Each command does its task as it stands. A URI that nothing but the application knows is taken from a request of it that was
refused in the last week; before that, signet why shows what was refused.`,
    )
    .action(async (jobId) => {
      const id = requireId(jobId)
      const suite = await openSuite(context)
      const response = await suite.call({
        method: 'GET',
        path: `/admin/v1/jobs/${encodeURIComponent(id)}`,
        repeatable: true,
      })
      const { createdAt } = (await response.json()) as { readonly createdAt: string }
      const listed = await listOfJob(suite, id)
      checklistLines(listed, await statesOf(suite, listed, createdAt)).forEach(context.say)
    })
}

/** The states of the applications of a list that exist. Asks for what its tasks are about. */
async function statesOf(
  suite: Suite,
  listed: readonly ListedValue[],
  since: string,
): Promise<ReadonlyMap<string, ApplicationState>> {
  const states = new Map<string, ApplicationState>()
  for (const clientId of applicationsOf(listed)) {
    const own = listed.filter(({ about, record }) => about === 'application' && record === clientId)
    const has = (task: ListedValue['task']) => own.some((value) => value.task === task)
    const { items } = bodyOf(
      await suite.management.GET('/management/v1/applications', { params: { query: { clientId } } }),
    )
    const [application] = items
    if (application === undefined) continue
    const { id, projectId, pkceOptional, responseTypes, redirectUris, postLogoutRedirectUris } = application
    const roles = own.flatMap(({ task, value }) => (task === 'service-role' ? [String(value)] : []))
    const { organizationId, primaryDomain } =
      roles.length > 0 ? await organizationOf(suite, projectId) : NO_ORGANIZATION
    states.set(clientId, {
      ...{ id, projectId, pkceOptional, responseTypes, redirectUris, postLogoutRedirectUris },
      ...{ organizationId, primaryDomain },
      hasNewSecret: has('secret') && (await hasNewSecret(suite, id, since)),
      hasKeys: has('key') && (await hasKeys(suite, id)),
      refusedUris: await refusedUris(suite, application, own),
      service: await serviceOf(suite, { clientId, projectId, organizationId, roles }),
    })
  }
  return states
}

type Organization = Pick<ApplicationState, 'organizationId' | 'primaryDomain'>

/** Values for an application without a task about its service user. */
const NO_ORGANIZATION: Organization = { organizationId: '', primaryDomain: '' }

async function organizationOf({ management }: Suite, projectId: string): Promise<Organization> {
  const project = { path: { projectId } }
  const { organizationId } = bodyOf(
    await management.GET('/management/v1/projects/{projectId}', { params: project }),
  )
  const organization = { path: { organizationId } }
  const { primaryDomain } = bodyOf(
    await management.GET('/management/v1/organizations/{organizationId}', { params: organization }),
  )
  return { organizationId, primaryDomain }
}

async function hasNewSecret({ management }: Suite, targetId: string, from: string): Promise<boolean> {
  const query = { action: 'application.rotate_secret', targetId, from, result: 'success' as const }
  const { items } = bodyOf(await management.GET('/management/v1/audit', { params: { query } }))
  return items.length > 0
}

async function hasKeys({ management }: Suite, applicationId: string): Promise<boolean> {
  const params = { path: { applicationId } }
  const { items } = bodyOf(
    await management.GET('/management/v1/applications/{applicationId}/keys', { params }),
  )
  return items.length > 0
}

/** The reasons of refusals of URIs that are not registered, by the member that lacks them. */
const REASONS: Readonly<Record<UriField, string>> = {
  redirectUris: 'redirect_uri_unregistered',
  postLogoutRedirectUris: 'post_logout_redirect_uri_unregistered',
}

/** The refused URIs for the members that a list has tasks for and that lack them still. */
async function refusedUris(
  { management }: Suite,
  application: Readonly<Record<UriField, readonly string[]>> & { readonly id: string },
  listed: readonly ListedValue[],
): Promise<ApplicationState['refusedUris']> {
  const fields = new Set(
    listed.flatMap((value) => (value.task === 'redirect-uri' ? [uriFieldOf(value)] : [])),
  )
  if (fields.size === 0) return { redirectUris: [], postLogoutRedirectUris: [] }
  const params = { query: { application: application.id, limit: 100 } }
  const { items } = bodyOf(await management.GET('/management/v1/refusals', { params }))
  const refused = (field: UriField) => {
    const received = items.flatMap(({ reason, values }) =>
      reason === REASONS[field] ? (values.received ?? []) : [],
    )
    return [...new Set(received)].filter((uri) => !application[field].includes(uri))
  }
  return { redirectUris: refused('redirectUris'), postLogoutRedirectUris: refused('postLogoutRedirectUris') }
}

interface ServicePlace {
  readonly clientId: string
  readonly projectId: string
  readonly organizationId: string
  readonly roles: readonly string[]
}

/** Another organization may have a user of the same name, which is not the one of the application. */
async function serviceOf(
  { management }: Suite,
  { clientId, projectId, organizationId, roles }: ServicePlace,
): Promise<ServiceState> {
  const knownRoles: string[] = []
  for (const roleKey of roles) {
    const params = { path: { projectId, roleKey } }
    const read = management.GET('/management/v1/projects/{projectId}/roles/{roleKey}', { params })
    if (await isThere(read)) knownRoles.push(roleKey)
  }
  if (roles.length === 0) return { knownRoles }
  const query = { kind: 'service_user' as const, organizationId, userName: serviceUserName(clientId) }
  const users = bodyOf(await management.GET('/management/v1/users', { params: { query } }))
  const [user] = users.items
  if (user === undefined) return { knownRoles }
  const params = { path: { projectId }, query: { userId: user.id } }
  const grants = bodyOf(await management.GET('/management/v1/projects/{projectId}/user-grants', { params }))
  const [grant] = grants.items
  return { userId: user.id, ...(grant && { grant: { id: grant.id, roles: grant.roles } }), knownRoles }
}

async function isThere(read: Promise<unknown>): Promise<boolean> {
  try {
    await read
    return true
  } catch (error) {
    if (error instanceof ManagementApiError && error.status === 404) return false
    throw error
  }
}
