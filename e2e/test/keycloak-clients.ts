import type { Keycloak } from '@signet/testing/keycloak-server'

// The clients of a realm as companies have them: 50 of 25 kinds, some with what Signet has in another form or not at all.

/** The role of the API that the accounts of the services have. */
export const SERVICE_ROLE = 'orders.read'
const longSecret = (name: string) => `secret-of-${name}-0123456789abcdef`

/** The members of a client of each kind, given its own name. */
const KINDS: Readonly<Record<string, (name: string) => Record<string, unknown>>> = {
  web: (name) => ({
    secret: longSecret(name),
    redirectUris: [`https://${name}.old.example/cb`],
    webOrigins: ['+'],
  }),
  wildcard: (name) => ({ secret: longSecret(name), redirectUris: [`https://${name}.old.example/*`] }),
  relative: (name) => ({
    secret: longSecret(name),
    rootUrl: `https://${name}.old.example`,
    redirectUris: ['/app/*'],
  }),
  spa: (name) => ({
    publicClient: true,
    redirectUris: [`https://${name}.old.example/`],
    attributes: { 'pkce.code.challenge.method': 'S256' },
  }),
  oldspa: (name) => ({ publicClient: true, redirectUris: [`https://${name}.old.example/`] }),
  native: (name) => ({
    publicClient: true,
    redirectUris: [`com.example.${name}:/callback`, 'http://127.0.0.1/*'],
  }),
  api: (name) => ({ bearerOnly: true, secret: longSecret(name) }),
  service: (name) => ({ standardFlowEnabled: false, serviceAccountsEnabled: true, secret: longSecret(name) }),
  jwt: (name) => ({
    clientAuthenticatorType: 'client-jwt',
    redirectUris: [`https://${name}.old.example/cb`],
    attributes: { 'use.jwks.url': 'true', 'jwks.url': `https://${name}.old.example/jwks.json` },
  }),
  short: (name) => ({ secret: 'short', redirectUris: [`https://${name}.old.example/cb`] }),
  direct: () => ({ publicClient: true, standardFlowEnabled: false, directAccessGrantsEnabled: true }),
  device: () => ({
    publicClient: true,
    standardFlowEnabled: false,
    attributes: { 'oauth2.device.authorization.grant.enabled': 'true' },
  }),
  mapped: (name) => ({
    secret: longSecret(name),
    redirectUris: [`https://${name}.old.example/cb`],
    protocolMappers: [
      mapper('oidc-audience-mapper', { 'included.client.audience': 'api-0' }),
      mapper('oidc-usermodel-attribute-mapper', {
        'user.attribute': 'department',
        'claim.name': 'department',
      }),
      mapper('oidc-usermodel-realm-role-mapper', { 'claim.name': 'roles', multivalued: 'true' }),
    ],
  }),
  logout: (name) => ({
    secret: longSecret(name),
    redirectUris: [`https://${name}.old.example/cb`],
    consentRequired: true,
    attributes: { 'backchannel.logout.url': `https://${name}.old.example/logout` },
  }),
  bare: (name) => ({ secret: longSecret(name), redirectUris: ['*'] }),
  plain: (name) => ({ secret: longSecret(name), redirectUris: [`http://${name}.old.example/cb`] }),
  implicit: (name) => ({
    secret: longSecret(name),
    standardFlowEnabled: false,
    implicitFlowEnabled: true,
    redirectUris: [`https://${name}.old.example/cb`],
  }),
  certificate: (name) => ({
    clientAuthenticatorType: 'client-x509',
    secret: longSecret(name),
    redirectUris: [`https://${name}.old.example/cb`],
    attributes: { 'x509.subjectdn': `CN=${name}` },
  }),
  signedsecret: (name) => ({
    clientAuthenticatorType: 'client-secret-jwt',
    secret: longSecret(name),
    redirectUris: [`https://${name}.old.example/cb`],
  }),
  backend: (name) => ({
    serviceAccountsEnabled: true,
    secret: longSecret(name),
    redirectUris: [`https://${name}.old.example/cb`],
  }),
  disabled: (name) => ({
    enabled: false,
    secret: longSecret(name),
    redirectUris: [`https://${name}.old.example/cb`],
  }),
  bye: (name) => ({
    secret: longSecret(name),
    redirectUris: [`https://${name}.old.example/cb`],
    attributes: { 'post.logout.redirect.uris': `https://${name}.old.example/*` },
  }),
  saml: (name) => ({ protocol: 'saml', redirectUris: [`https://${name}.old.example/acs`] }),
  authz: (name) => ({
    secret: longSecret(name),
    serviceAccountsEnabled: true,
    authorizationServicesEnabled: true,
    redirectUris: [`https://${name}.old.example/cb`],
  }),
  lifetime: (name) => ({
    secret: longSecret(name),
    redirectUris: [`https://${name}.old.example/cb`],
    attributes: { 'access.token.lifespan': '120' },
  }),
}

function mapper(protocolMapper: string, config: Readonly<Record<string, string>>) {
  const tokens = { 'id.token.claim': 'true', 'access.token.claim': 'true' }
  return {
    name: protocolMapper,
    protocol: 'openid-connect',
    protocolMapper,
    config: { ...config, ...tokens },
  }
}

export interface OldClient {
  readonly clientId: string
  readonly kind: string
  readonly secret?: string | undefined
  readonly representation: Readonly<Record<string, unknown>>
}

export const CLIENTS: readonly OldClient[] = Array.from({ length: 50 }, (_, number) => {
  const kinds = Object.entries(KINDS)
  const [kind, members] = kinds[number % kinds.length] as (typeof kinds)[number]
  const clientId = `${kind}-${Math.floor(number / kinds.length)}`
  const own = members(clientId)
  return {
    clientId,
    kind,
    secret: own.secret as string | undefined,
    representation: { clientId, publicClient: false, ...own },
  }
})

/** Gives the accounts of the services their roles, which only calls for each account can. */
export async function giveServiceRoles(keycloak: Keycloak, realm: string): Promise<void> {
  const at = `/realms/${realm}`
  const clients = (await keycloak.call('GET', `${at}/clients?max=200`)) as readonly {
    readonly id: string
    readonly clientId: string
  }[]
  const roleOf = async (clientId: string, role: string) => {
    const id = clients.find((client) => client.clientId === clientId)?.id
    return { id, role: await keycloak.call('GET', `${at}/clients/${id}/roles/${role}`) }
  }
  const given = [await roleOf('api-0', SERVICE_ROLE), await roleOf('realm-management', 'view-users')]
  for (const service of clients.filter(({ clientId }) => /^(service|backend)-/.test(clientId))) {
    const account = (await keycloak.call('GET', `${at}/clients/${service.id}/service-account-user`)) as {
      id: string
    }
    for (const { id, role } of given)
      await keycloak.call('POST', `${at}/users/${account.id}/role-mappings/clients/${id}`, [role])
  }
}
