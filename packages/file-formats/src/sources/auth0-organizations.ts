import type { Tenant } from './auth0-tenant.ts'
import { type ConvertedPart, compact, type JsonObject, SourceMembers } from './conversion.ts'

/**
 * An organization of `GET /api/v2/organizations`, with the members of `GET /api/v2/organizations/{id}/members` as `members`. A
 * person of Auth0 may be a member of several, and one of Signet belongs to one: the memberships become metadata.
 */
export function* readOrganization(organization: JsonObject, tenant: Tenant): Generator<ConvertedPart> {
  const members = new SourceMembers('organizations', organization, tenant.leftOut)
  const [id, name] = [members.text('id'), members.text('name')]
  const known = name ?? id ?? ''
  members.example = known
  if (known === '') members.leaveOut('without id or name')
  else tenant.organizations.add(known)
  let people = 0
  for (const member of members.objects('members')) {
    const parts = new SourceMembers('organizations.members', member, tenant.leftOut, known)
    const userId = parts.text('user_id')
    const roles = parts.objects('roles').flatMap((role) => {
      if (typeof role.name === 'string') return role.name
      parts.leaveOut('roles[] without name')
      return []
    })
    parts.takeDerived('name', 'email', 'picture')
    parts.leaveRest()
    if (userId === undefined) {
      members.leaveOut('members[] without user_id')
      continue
    }
    people += 1
    const membership = compact({ id, name, roles: roles.length > 0 ? roles : undefined })
    tenant.memberships.set(userId, [...(tenant.memberships.get(userId) ?? []), membership])
  }
  if (people > 0) members.leaveOut('members kept as the metadata auth0.organizations', people)
  else members.leaveOut('without members in the file')
  members.leaveRest()
}
