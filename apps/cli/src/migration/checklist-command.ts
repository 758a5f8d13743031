import { openSuite } from '../access/suite-access.ts'
import { bodyOf, type Suite } from '../api/suite.ts'
import type { AddCommand, CommandContext } from '../context.ts'
import { type ApplicationState, applicationsOf, checklistLines, serviceUserName } from './checklist.ts'
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
seen here: the application shows it. Redirect URIs, new secrets, pkceOptional and the roles of service users named
service-account-CLIENT are read from the server each time, so the list counts down.`,
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

/** The states of the applications of a list that exist. */
async function statesOf(
  suite: Suite,
  listed: readonly ListedValue[],
  since: string,
): Promise<ReadonlyMap<string, ApplicationState>> {
  const states = new Map<string, ApplicationState>()
  const has = (task: ListedValue['task'], clientId: string) =>
    listed.some((value) => value.task === task && value.record === clientId)
  for (const clientId of applicationsOf(listed)) {
    const { items } = bodyOf(
      await suite.management.GET('/management/v1/applications', { params: { query: { clientId } } }),
    )
    const [application] = items
    if (application === undefined) continue
    const { id, projectId, pkceOptional, redirectUris, postLogoutRedirectUris } = application
    states.set(clientId, {
      ...{ id, projectId, pkceOptional, redirectUris, postLogoutRedirectUris },
      hasNewSecret: has('secret', clientId) && (await hasNewSecret(suite, id, since)),
      serviceRoles: has('service-role', clientId) ? await serviceRoles(suite, clientId, projectId) : [],
    })
  }
  return states
}

async function hasNewSecret({ management }: Suite, targetId: string, from: string): Promise<boolean> {
  const query = { action: 'application.rotate_secret', targetId, from, result: 'success' as const }
  const { items } = bodyOf(await management.GET('/management/v1/audit', { params: { query } }))
  return items.length > 0
}

async function serviceRoles(
  { management }: Suite,
  clientId: string,
  projectId: string,
): Promise<readonly string[]> {
  const query = { kind: 'service_user' as const, userName: serviceUserName(clientId) }
  const { items: users } = bodyOf(await management.GET('/management/v1/users', { params: { query } }))
  const roles: string[] = []
  for (const { id: userId } of users) {
    const params = { path: { projectId }, query: { userId } }
    const { items } = bodyOf(
      await management.GET('/management/v1/projects/{projectId}/user-grants', { params }),
    )
    roles.push(...items.flatMap(({ roles: keys }) => keys))
  }
  return roles
}
