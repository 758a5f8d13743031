// The claims that an application shapes by its settings, docs/spec 4.15 and 4.16: the roles of the scope `groups`, and
// claims from the metadata of the user.

import { API_PROJECT, reservedScopesOf } from '@signet/protocol/scopes'
import { isIdentifier } from '@signet/tokens/identifiers'
import type { DirectoryReader } from './directory-reader.ts'
import type { Account, Client, Project, UserGrant } from './views.ts'

export type ClaimSettings = Pick<
  Client,
  'groupsClaim' | 'groupsQualified' | 'groupsAsObjects' | 'claimMapping' | 'preferredUsernameWithoutDomain'
>

interface GroupsRequest {
  readonly account: Pick<Account, 'organizationId'>
  readonly grants: readonly UserGrant[]
  readonly scopes: readonly string[]
  /** The project whose roles are shown, with the display names of its roles. */
  readonly project: Pick<Project, 'projectId' | 'roleKeys' | 'roleDisplayNames'>
  readonly settings: ClaimSettings
}

/**
 * The roles of a user in one project, an empty list without a role. A qualified value is the id of the user's
 * organization, a colon and the role key. An id has no colon, so the first colon ends it, also where the key has more.
 */
export function groupsClaim({ account, grants, scopes, project, settings }: GroupsRequest) {
  const { groupsClaim: name, groupsQualified, groupsAsObjects } = settings
  const organizations = reservedScopesOf(scopes).flatMap((scope) =>
    scope.kind === 'roles_of_organization' ? [scope.value] : [],
  )
  const keys = grants
    .filter(({ projectId }) => projectId === project.projectId)
    .filter(({ organizationId: id }) => organizations.length === 0 || organizations.includes(id))
    .flatMap(({ roleKeys }) => roleKeys)
  const written = (key: string) => (groupsQualified ? `${account.organizationId}:${key}` : key)
  if (!groupsAsObjects) return { [name]: keys.map(written) }
  const displayOf = (key: string) => project.roleDisplayNames[project.roleKeys.indexOf(key)] ?? key
  return { [name]: keys.map((key) => ({ value: written(key), display: displayOf(key) })) }
}

/**
 * The claims of a mapping, for tokens whose scopes reveal the metadata. A key that the user does not have and a value
 * that is empty or no UTF-8 give no claim.
 */
export function mappedClaims(
  { metadata }: Pick<Account, 'metadata'>,
  scopes: readonly string[],
  mapping: ClaimSettings['claimMapping'],
): Readonly<Record<string, string>> {
  const entries = Object.entries(mapping)
  if (entries.length === 0 || !reservedScopesOf(scopes).some(({ kind }) => kind === 'user_metadata'))
    return {}
  const filled = entries.flatMap(([claim, key]) => {
    const value = Object.hasOwn(metadata, key) ? textOf(metadata[key] ?? '') : undefined
    return value ? [[claim, value]] : []
  })
  return Object.fromEntries(filled)
}

function textOf(value: string): string | undefined {
  const bytes = Buffer.from(value, 'base64url')
  const text = bytes.toString()
  return Buffer.from(text).equals(bytes) ? text : undefined
}

/**
 * Whether every audience of a token is its client, the project of that client, another application of the project, or
 * Signet's own APIs. Resource servers of another project could take the values of `groups` for roles in their own
 * project, and mapped claims for claims of their own.
 */
export async function isWithinProject(
  directory: Pick<DirectoryReader, 'client'>,
  { audience, clientId }: { readonly audience: readonly string[]; readonly clientId: string },
  projectId: string,
): Promise<boolean> {
  for (const id of audience) {
    // The URI of an API stands beside the id of its project, which decides.
    if (id === clientId || id === projectId || id === API_PROJECT || !isIdentifier(id)) continue
    if ((await directory.client(id))?.projectId !== projectId) return false
  }
  return true
}
