import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Client } from '@signet/directory-reader/views'
import { reservedScopesOf } from '@signet/oauth-protocol/reserved-scopes'

/** The project that stands for the API itself: an access token for it names it in `aud`. */
export const API_PROJECT = 'signet'
/** What the API's own project is called under the other prefix. */
const API_PROJECT_ALIAS = 'zitadel'

type Projects = Pick<DirectoryReader, 'project'>

/** `aud` of an access token: the application, its project, and each project that a scope adds. */
export async function audienceOf(
  directory: Projects,
  client: Pick<Client, 'clientId' | 'projectId'>,
  scopes: readonly string[],
): Promise<readonly string[]> {
  const added = await Promise.all(
    projectsIn(scopes).map(async (id) => ((await exists(directory, id)) ? [id] : [])),
  )
  const own = client.projectId === null ? [] : [client.projectId]
  return [...new Set([client.clientId, ...own, ...added.flat()])]
}

/** The first project in the scopes that does not exist. */
export async function unknownProjectIn(
  directory: Projects,
  scopes: readonly string[],
): Promise<string | undefined> {
  for (const id of projectsIn(scopes)) if (!(await exists(directory, id))) return id
  return undefined
}

function projectsIn(scopes: readonly string[]): readonly string[] {
  return reservedScopesOf(scopes).flatMap((scope) => {
    if (scope.kind !== 'project_audience') return []
    const isAlias = scope.prefix === 'urn:zitadel:iam:' && scope.value === API_PROJECT_ALIAS
    return [isAlias ? API_PROJECT : scope.value]
  })
}

async function exists(directory: Projects, projectId: string): Promise<boolean> {
  return projectId === API_PROJECT || (await directory.project(projectId)) !== undefined
}
