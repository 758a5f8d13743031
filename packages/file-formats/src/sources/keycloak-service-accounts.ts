import { IDENTIFIER } from '@signet/tokens/identifiers'
import { type ConvertedPart, compact, type JsonObject, record, SourceMembers } from './conversion.ts'
import { convertClient, secretHash, takeHarmless } from './keycloak-clients.ts'
import { MISSING_CLIENT_FLAGS } from './keycloak-defaults.ts'
import { groupReferences, type Realm, roleReferences } from './keycloak-roles.ts'
import { stableId } from './stable-id.ts'

/*
 * A client that acts for no person, and whose account has roles, becomes a service user with these roles: an application has
 * none. Its client id and its secret stay, and the id of its account, which is the `sub` of its tokens.
 */

/** The lifetimes of access tokens that a realm has unless its administrator chooses another: in seconds. */
const REALM_LIFETIMES: readonly number[] = [60, 300]

/** Whether the one thing that a client can do is to get tokens for itself, with a client secret. */
export function isServiceOnly(client: JsonObject): boolean {
  const flag = (name: keyof typeof MISSING_CLIENT_FLAGS) =>
    typeof client[name] === 'boolean' ? client[name] : MISSING_CLIENT_FLAGS[name]
  const attributes = client.attributes as JsonObject | undefined
  const others = ['standardFlowEnabled', 'implicitFlowEnabled', 'publicClient', 'bearerOnly'] as const
  return (
    flag('serviceAccountsEnabled') &&
    !others.some(flag) &&
    (client.clientAuthenticatorType ?? 'client-secret') === 'client-secret' &&
    attributes?.['standard.token.exchange.enabled'] !== 'true' &&
    attributes?.['oauth2.device.authorization.grant.enabled'] !== 'true'
  )
}

/** Converts the account of a client, and the client itself when it waits for its account. */
export function* convertServiceAccount(user: JsonObject, realm: Realm): Generator<ConvertedPart> {
  const members = new SourceMembers('users[]', user, realm.leftOut)
  const written = members.text('serviceAccountClientId') ?? ''
  const clientId = realm.clientId(written)
  members.example = clientId
  const paths = members.texts('groups')
  const references = [
    ...roleReferences(members, { realm: 'realmRoles', client: 'clientRoles' }),
    ...groupReferences(members, paths, realm.roles),
  ]
  for (const path of paths) realm.leftOut.add('clients[].groups of its service account', clientId, path)
  const [ownId, ownName] = [members.text('id'), members.text('username')]
  members.takeDerived('createdTimestamp', 'totp', 'self', 'access', 'origin', 'emailVerified')
  // Versions up to 7 made an address of the client id.
  if (String(user.email).startsWith('service-account-')) members.takeDerived('email')
  members.takeDefaults({ enabled: [true], notBefore: [0] })
  members.leaveRest()
  const client = realm.services.get(written)
  realm.services.delete(written)
  const leaveOut = (role: string) => realm.leftOut.add('clients[].service account role', clientId, role)
  const roleKeys = realm.roles.expand(references, leaveOut, (role) =>
    realm.leftOut.add('clients[].administrative role of its service account', clientId, role),
  )
  if (client === undefined || roleKeys.length === 0) {
    roleKeys.forEach(leaveOut)
    if (client !== undefined) yield* convertClient(client, realm)
    return
  }
  const userId =
    ownId !== undefined && IDENTIFIER.test(ownId)
      ? ownId
      : stableId('keycloak', realm.name, 'user', ownId ?? `service-account-${written}`)
  const userName = ownName ?? `service-account-${written}`
  yield* convertService(client, realm, { clientId, userId, userName })
  yield* record('userGrants', { userId, projectId: realm.projectId, roleKeys }, realm.leftOut, clientId)
}

function* convertService(
  client: JsonObject,
  { projectId, leftOut, accessTokenSeconds }: Realm,
  { clientId, userId, userName }: { clientId: string; userId: string; userName: string },
): Generator<ConvertedPart> {
  const members = new SourceMembers('clients[]', client, leftOut, clientId)
  const attributes = takeHarmless(members, leftOut, clientId)
  if (clientId !== client.clientId) members.leaveOut('clientId', client.clientId)
  const isEnabled = members.flag('enabled') ?? MISSING_CLIENT_FLAGS.enabled
  const converted = compact({
    userId,
    user: {
      userName,
      name: members.shortText('name', 200) ?? clientId,
      description: members.shortText('description', 500),
      accessTokenType: 'ACCESS_TOKEN_TYPE_JWT',
    },
    clientId,
    clientSecretHash: secretHash(members),
    state: isEnabled ? 'USER_STATE_ACTIVE' : 'USER_STATE_INACTIVE',
  })
  members.leaveOut(
    'scopes of its service user',
    `urn:service:iam:org:project:id:${projectId}:aud and urn:service:iam:org:projects:roles`,
  )
  if (accessTokenSeconds !== undefined && !REALM_LIFETIMES.includes(accessTokenSeconds))
    members.leaveOut('accessTokenLifespan of its realm', accessTokenSeconds)
  if (members.flag('directAccessGrantsEnabled')) members.leaveOut('directAccessGrantsEnabled')
  members.takeDerived(...['id', 'clientAuthenticatorType', 'clientId', 'defaultClientScopes'])
  members.takeDerived(...['optionalClientScopes', 'redirectUris', 'webOrigins'])
  members.takeDerived(...Object.keys(MISSING_CLIENT_FLAGS))
  attributes.takeDerived('post.logout.redirect.uris')
  attributes.leaveRest()
  members.leaveRest()
  yield* record('machineUsers', converted, leftOut, clientId)
}
