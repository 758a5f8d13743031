import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Client } from '@signet/directory-reader/views'
import type { Party } from './party.ts'

/** A client that cannot prove who it is: whoever has its id may say that it is this client. */
export function isPublic({ authMethod }: Client): boolean {
  return authMethod === 'none'
}

/**
 * Whether a client may exchange a token that it presents (RFC 8693 section 2.1 warns of clients that merely received
 * it). A public client exchanges only what was issued to itself. Any other owns an access token or stands in its
 * audience, itself or by its project, or is a client that a project of that audience lists; a personal access token is
 * for the applications of its user's organization.
 */
export async function mayPresent(
  { directory }: { readonly directory: Pick<DirectoryReader, 'project'> },
  client: Client,
  { form, account }: Party,
): Promise<boolean> {
  if (isPublic(client)) return form.kind !== 'personal' && form.issuedTo === client.clientId
  if (form.kind === 'personal') return client.organizationId === account.organizationId
  if (form.issuedTo === client.clientId) return true
  const { audience } = form
  if (audience.includes(client.clientId)) return true
  if (client.projectId !== null && audience.includes(client.projectId)) return true
  const projects = await Promise.all(audience.map((id) => directory.project(id)))
  return projects.some((project) => project?.allowedAudiences.includes(client.clientId))
}
