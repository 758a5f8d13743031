import { generateKeyPairSync } from 'node:crypto'
import type { BootstrapFileInput } from '@signet/directory/bootstrap'
import { GRANT_TYPES } from '@signet/protocol/grant-types'
import { ALICE } from '@signet/testing/fixture-user'
import {
  ADMIN_TOKEN,
  REDIRECT_URI,
  ROBOT_TOKEN,
  resourceServer,
  SECRET,
  application as webApplication,
} from '@signet/testing/system/oauth-directory'
import { PASSWORD } from '@signet/testing/system/test-directory'

/** Registered as `k1` of the client `keyed` and of the service user `robot`. */
export const KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' })
export const SECOND_REDIRECT_URI = 'https://app.example.com/callback?tenant=1'
export const POST_LOGOUT_URI = 'https://app.example.com/goodbye'
/** TOTP secret of bob, in base32. */
export const TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

const profile = { givenName: 'Given', familyName: 'Family' }
const publicKey = () => [{ id: 'k1', publicKeyJwk: KEY.publicKey.export({ format: 'jwk' }) }]
const personalAccessToken = (id: string, token: string) => ({
  personalAccessTokens: [{ id, token, expiresAt: '2100-01-01T00:00:00Z' }],
})

const uris = {
  redirectUris: [REDIRECT_URI, SECOND_REDIRECT_URI],
  postLogoutRedirectUris: [POST_LOGOUT_URI],
}
const application = (id: string, more: object = {}) => webApplication(id, { ...uris, ...more })

/** Returns an organization with an application for each way to be a client. */
export function providerDirectory(): BootstrapFileInput {
  const implicit = { type: 'userAgent' as const, authMethod: 'none' as const, clientSecret: undefined }
  return {
    organizations: [
      {
        id: 'acme',
        name: 'ACME',
        primaryDomain: 'acme.localhost',
        users: [
          { ...ALICE, password: PASSWORD },
          { id: 'bob', userName: 'bob', profile, password: PASSWORD, totpSecret: TOTP_SECRET },
          { id: 'carol', userName: 'carol+1', profile, password: PASSWORD },
        ],
        serviceUsers: [
          {
            id: 'robot',
            userName: 'robot',
            name: 'Robot',
            clientSecret: SECRET,
            keys: publicKey(),
            ...personalAccessToken('robot-token', ROBOT_TOKEN),
          },
          {
            id: 'admin',
            userName: 'admin',
            name: 'Administrator',
            roles: ['IAM_OWNER'],
            ...personalAccessToken('admin-token', ADMIN_TOKEN),
          },
        ],
        projects: [
          {
            id: 'portal',
            name: 'Portal',
            applications: [
              application('web'),
              application('other'),
              application('post', { authMethod: 'client_secret_post' }),
              application('keyed', {
                authMethod: 'private_key_jwt',
                clientSecret: undefined,
                keys: publicKey(),
              }),
              application('spa', { type: 'userAgent', authMethod: 'none', clientSecret: undefined }),
              application('jwt', { accessTokenType: 'jwt' }),
              application('machine', { grantTypes: ['client_credentials'] }),
              application('exchanger', {
                grantTypes: ['authorization_code', 'urn:ietf:params:oauth:grant-type:token-exchange'],
              }),
              application('asserting', { idTokenUserinfoAssertion: true }),
              application('implicit', {
                ...implicit,
                responseTypes: ['id_token', 'id_token token'],
                grantTypes: ['implicit'],
              }),
              application('no-code', { ...implicit, responseTypes: ['id_token'], grantTypes: ['implicit'] }),
              resourceServer('api'),
            ],
          },
          {
            id: 'elsewhere',
            name: 'Elsewhere',
            applications: [resourceServer('elsewhere')],
          },
        ],
      },
    ],
    defaultOrganization: 'acme',
    features: { oidcTokenExchange: true },
    security: { enableImpersonation: true },
  }
}

/** Gives applications of a directory the Device Authorization Grant beside the code flow. */
export function withDeviceGrant(directory: BootstrapFileInput, ids: readonly string[]): BootstrapFileInput {
  const grantTypes = [GRANT_TYPES.authorizationCode, GRANT_TYPES.refreshToken, GRANT_TYPES.deviceCode]
  return {
    ...directory,
    organizations: directory.organizations?.map((organization) => ({
      ...organization,
      projects: organization.projects?.map((project) => ({
        ...project,
        applications: project.applications?.map((application) =>
          ids.includes(application.id ?? '') ? { ...application, grantTypes } : application,
        ),
      })),
    })),
  }
}
