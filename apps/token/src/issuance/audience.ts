import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import { type AudienceAsker, mayNameApi, mayNameAudiences } from '@signet/directory-reader/project-access'
import type { Client } from '@signet/directory-reader/views'
import { InvalidScopeError } from '@signet/protocol/errors'
import { API_PROJECT, namedAudiences } from '@signet/protocol/scopes'

/** `aud` of an access token: the client, its project, and each project that a scope adds. */
export function audienceOf(
  { clientId, projectId }: Pick<Client, 'clientId' | 'projectId'>,
  scopes: readonly string[],
): readonly string[] {
  const { namesApi, projectIds } = namedAudiences(scopes)
  // What the client is called never makes a token one for the API.
  const named = [clientId, ...(projectId === null ? [] : [projectId]), ...projectIds]
  return [...new Set(named.filter((id) => id !== API_PROJECT)), ...(namesApi ? [API_PROJECT] : [])]
}

/** Throws InvalidScopeError when an exchanged audience holds our own APIs and the client is not marked for them. */
export function requireApiMark(client: AudienceAsker, audience: readonly string[]): void {
  if (!audience.includes(API_PROJECT) || mayNameApi(client)) return
  throw new InvalidScopeError('the application may not call the API any more', { reason: 'api_not_allowed' })
}

/**
 * Throws InvalidScopeError for scopes that add an audience which the client may not name. A project that does not exist
 * and one that does not allow the client are refused in the same words.
 */
export async function requireAudiences(
  directory: Pick<DirectoryReader, 'allowsAudience'>,
  client: AudienceAsker,
  scopes: readonly string[],
): Promise<void> {
  if (await mayNameAudiences(directory, client, namedAudiences(scopes))) return
  throw new InvalidScopeError(
    'scope adds a project to the audience that does not exist or does not allow this client',
    { reason: 'audience_not_allowed' },
  )
}
