import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { BootstrapFileInput } from '../../../../apps/directory/src/bootstrap.ts'

export const REDIRECT_URI = 'https://app.example.com/callback'
/** Origin of the pages of the application `web`. */
export const PAGE_ORIGIN = 'https://app.example.com'
/** Secret of all confidential clients. */
export const SECRET = randomBytes(32).toString('base64url')
/** Key of the service user `robot` (as `k1`) and of the application `keyed` (as `k1`). */
export const MACHINE_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 })
/** Elliptic key of the service user `jwt-robot`. */
export const MACHINE_EC_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' })
/** Personal access tokens of `robot`. */
export const ROBOT_TOKEN = randomBytes(32).toString('base64url')
export const EXPIRED_ROBOT_TOKEN = randomBytes(32).toString('base64url')
export const ADMIN_TOKEN = randomBytes(32).toString('base64url')

const EXCHANGE_GRANTS = [
  'authorization_code' as const,
  'refresh_token' as const,
  'urn:ietf:params:oauth:grant-type:token-exchange' as const,
]

const profile = { givenName: 'Alice', familyName: 'Example', displayName: 'Alice Example' }
const user = (id: string, more: object = {}) => ({
  id,
  userName: id,
  profile,
  email: { address: `${id}@acme.localhost`, verified: true },
  ...more,
})

const web = {
  type: 'web' as const,
  authMethod: 'client_secret_basic' as const,
  clientSecret: SECRET,
  redirectUris: [REDIRECT_URI],
  firstParty: true,
}

/** A first-party web application with a secret. */
export function application(id: string, more: object = {}) {
  return { id, clientId: id, name: id, ...web, ...more }
}

export function resourceServer(id: string) {
  const { authMethod } = web
  return { id, clientId: id, name: id, type: 'api' as const, authMethod, clientSecret: SECRET }
}

/** The resource server of a project: `api-<project>`. */
const apiOf = (projectId: string) => resourceServer(`api-${projectId}`)

/**
 * Two organizations, projects with roles, and an application for each rule of the token endpoint; `userIds` are users
 * besides those.
 */
export function oauthDirectory(userIds: readonly string[] = []): BootstrapFileInput {
  return {
    organizations: [
      {
        id: 'acme',
        name: 'ACME',
        primaryDomain: 'acme.localhost',
        users: [
          user('alice', {
            phone: { number: '+41791234567', verified: true },
            metadata: { customer: '4711' },
          }),
          user('bob'),
          user('boss', { roles: ['ORG_OWNER'] }),
          user('owner', { roles: ['IAM_OWNER'] }),
          user('helper', { roles: ['IAM_END_USER_IMPERSONATOR'] }),
          user('root', { roles: ['IAM_ADMIN_IMPERSONATOR'] }),
          user('org-helper', { roles: ['ORG_END_USER_IMPERSONATOR'] }),
          user('org-root', { roles: ['ORG_ADMIN_IMPERSONATOR'] }),
          ...userIds.map((id) => user(id)),
        ],
        serviceUsers: [
          {
            id: 'admin',
            userName: 'admin',
            name: 'Administrator',
            roles: ['IAM_OWNER'],
            personalAccessTokens: [
              { id: 'admin-token', token: ADMIN_TOKEN, expiresAt: '2100-01-01T00:00:00Z' },
            ],
          },
          {
            id: 'robot',
            userName: 'robot',
            clientId: 'robot-client',
            name: 'Robot',
            roles: ['IAM_END_USER_IMPERSONATOR'],
            clientSecret: SECRET,
            keys: [{ id: 'k1', publicKeyJwk: MACHINE_KEY.publicKey.export({ format: 'jwk' }) }],
            personalAccessTokens: [
              { id: 'robot-token', token: ROBOT_TOKEN, expiresAt: '2100-01-01T00:00:00Z' },
              { id: 'robot-expired', token: EXPIRED_ROBOT_TOKEN, expiresAt: '2020-01-01T00:00:00Z' },
            ],
          },
          {
            id: 'automation',
            userName: 'automation',
            name: 'Automation',
            roles: ['ORG_OWNER'],
            keys: [{ id: 'k1', publicKeyJwk: MACHINE_KEY.publicKey.export({ format: 'jwk' }) }],
          },
          {
            id: 'jwt-robot',
            userName: 'jwt-robot',
            name: 'JWT robot',
            accessTokenType: 'jwt',
            clientSecret: SECRET,
            keys: [{ id: 'k1', publicKeyJwk: MACHINE_EC_KEY.publicKey.export({ format: 'jwk' }) }],
          },
        ],
        projects: [
          {
            id: 'portal',
            name: 'Portal',
            roles: [
              { key: 'admin', displayName: 'Administrator' },
              { key: 'reader', displayName: 'Reader' },
            ],
            grants: [
              { userId: 'alice', roles: ['admin', 'reader'] },
              { userId: 'robot', roles: ['reader'] },
            ],
            applications: [
              application('web', { allowedOrigins: [PAGE_ORIGIN] }),
              application('jwt', { accessTokenType: 'jwt' }),
              application('jwt-es256', { accessTokenType: 'jwt', accessTokenSigningAlg: 'ES256' }),
              application('role-asserting', {
                accessTokenType: 'jwt',
                accessTokenRoleAssertion: true,
                idTokenRoleAssertion: true,
              }),
              application('console', { mayCallApi: true }),
              application('console-jwt', { accessTokenType: 'jwt', mayCallApi: true }),
              application('backend', { grantTypes: ['client_credentials'] }),
              application('bound', {
                dpopBoundAccessTokens: true,
                responseTypes: ['code', 'id_token', 'id_token token'],
                grantTypes: ['authorization_code', 'implicit', 'client_credentials'],
              }),
              application('backend-post', {
                authMethod: 'client_secret_post',
                accessTokenType: 'jwt',
                grantTypes: ['client_credentials'],
              }),
              application('backend-public', {
                type: 'native',
                authMethod: 'none',
                clientSecret: undefined,
                grantTypes: ['authorization_code', 'client_credentials'],
              }),
              application('backend-keyed', {
                authMethod: 'private_key_jwt',
                clientSecret: undefined,
                keys: [{ id: 'k1', publicKeyJwk: MACHINE_KEY.publicKey.export({ format: 'jwk' }) }],
                grantTypes: ['client_credentials'],
              }),
              application('certified', {
                authMethod: 'tls_client_auth',
                clientSecret: undefined,
                tlsClientAuthSanDns: 'client.acme.localhost',
              }),
              application('exchanger', { grantTypes: EXCHANGE_GRANTS }),
              application('exchanger-api', { grantTypes: EXCHANGE_GRANTS, mayCallApi: true }),
              application('exchanger-post', {
                authMethod: 'client_secret_post',
                grantTypes: EXCHANGE_GRANTS,
              }),
              application('exchanger-public', {
                type: 'native',
                authMethod: 'none',
                clientSecret: undefined,
                grantTypes: EXCHANGE_GRANTS,
              }),
              application('exchanger-keyed', {
                authMethod: 'private_key_jwt',
                clientSecret: undefined,
                keys: [{ id: 'k1', publicKeyJwk: MACHINE_KEY.publicKey.export({ format: 'jwk' }) }],
                grantTypes: EXCHANGE_GRANTS,
              }),
              application('asserting', { idTokenUserinfoAssertion: true }),
              application('page', {
                responseTypes: ['id_token', 'id_token token'],
                grantTypes: ['implicit'],
              }),
              resourceServer('api'),
            ],
          },
          {
            id: 'asserted',
            name: 'Asserted',
            projectRoleAssertion: true,
            roles: [{ key: 'owner', displayName: 'Owner' }],
            grants: [{ userId: 'alice', roles: ['owner'] }],
            applications: [application('asserted'), apiOf('asserted')],
          },
          {
            id: 'checked',
            name: 'Checked',
            projectRoleCheck: true,
            hasProjectCheck: true,
            roles: [{ key: 'guest', displayName: 'Guest' }],
            grants: [{ userId: 'alice', roles: ['guest'] }],
            applications: [application('checked')],
          },
        ],
      },
      {
        id: 'beta',
        name: 'Beta',
        primaryDomain: 'beta.localhost',
        users: [{ ...user('carol'), email: { address: 'carol@beta.localhost', verified: true } }],
        projects: [
          {
            id: 'shop',
            name: 'Shop',
            allowedAudiences: ['web', 'exchanger'],
            applications: [apiOf('shop')],
          },
          {
            id: 'closed',
            name: 'Closed',
            applications: [
              apiOf('closed'),
              application('foreign', { grantTypes: EXCHANGE_GRANTS }),
              application('foreign-page', {
                responseTypes: ['id_token', 'id_token token'],
                grantTypes: ['implicit'],
              }),
            ],
          },
        ],
      },
    ],
    defaultOrganization: 'acme',
  }
}
