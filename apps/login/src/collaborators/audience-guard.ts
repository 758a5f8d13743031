import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import {
  mayNameAudiences,
  type ProjectRefusal,
  projectRefusal,
} from '@signet/directory-reader/project-access'
import { AccessDeniedError, InvalidScopeError } from '@signet/oauth-protocol/errors'
import { namedAudiences } from '@signet/oauth-protocol/reserved-scopes'
import type { RequireAudiences, RequireProjectAccess } from '../authorize/assess-authorization.ts'
import { reach } from '../dependency.ts'

/** Refuses scopes that add an audience which the client may not name, whoever signs in. */
export function audienceGuard(directory: DirectoryReader): RequireAudiences {
  return async ({ clientId }, scopes) => {
    const client = await reach('postgres', () => directory.client(clientId))
    const isAllowed =
      client !== undefined &&
      (await reach('postgres', () => mayNameAudiences(directory, client, namedAudiences(scopes))))
    if (isAllowed) return
    throw new InvalidScopeError(
      'scope adds a project to the audience that does not exist or does not allow this client',
      { reason: 'audience_not_allowed' },
    )
  }
}

const REFUSALS: Readonly<Record<ProjectRefusal, string>> = {
  project_not_granted: 'A project of the audience was not granted to the organization of the user',
  project_role_missing: 'The user has no role in a project of the audience',
}

/** Keeps out people whom the project of the application, or one that the scopes name, does not let in. */
export function projectGuard(directory: DirectoryReader): RequireProjectAccess {
  return async ({ projectId }, { userId }, scopes) => {
    const audience = [...(projectId === null ? [] : [projectId]), ...namedAudiences(scopes).projectIds]
    const reason = await reach('postgres', () => projectRefusal(directory, audience, userId))
    if (reason !== undefined) throw new AccessDeniedError(REFUSALS[reason], { reason })
  }
}
