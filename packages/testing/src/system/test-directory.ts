import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { ALICE } from '../fixture-user.ts'

export const PASSWORD = 'Correct-horse-9'
/** The personal access token of an administrator of the instance. */
export const ADMIN_TOKEN = randomBytes(32).toString('base64url')
export const WEB_SECRET = randomBytes(32).toString('base64url')
export const API_SECRET = randomBytes(32).toString('base64url')
/** Secret of all other confidential clients. */
export const OTHER_SECRET = randomBytes(32).toString('base64url')

/** The key pair of the client `keyed`, whose public half is registered as `k1`. */
export const KEYED = generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** The target of codes when a test reads them from the redirect and no server listens. */
export const REDIRECT_URI = 'https://app.example.com/callback'
export const POST_LOGOUT_URI = 'https://app.example.com/goodbye'

const { givenName, familyName } = ALICE.profile
const profile = { givenName, familyName }

/** Users that have nothing to say but their name; `lena` is locked. */
const PLAIN_USERS = [
  { id: 'bob', email: { address: 'bob@acme.localhost', verified: false } },
  { id: 'carol' },
  { id: 'dora' },
  { id: 'lena', email: { address: 'lena@acme.localhost', verified: true }, state: 'locked' },
].map((user) => ({ ...user, userName: user.id, profile, password: PASSWORD }))

function applications(redirectUris: readonly string[], postLogoutRedirectUris: readonly string[]) {
  const web = { type: 'web', redirectUris, postLogoutRedirectUris, responseTypes: ['code'], firstParty: true }
  const withSecret = { authMethod: 'client_secret_basic', clientSecret: OTHER_SECRET }
  return [
    { ...web, id: 'web', authMethod: 'client_secret_basic', clientSecret: WEB_SECRET },
    { ...web, id: 'post', authMethod: 'client_secret_post', clientSecret: OTHER_SECRET },
    { ...web, id: 'spa', type: 'userAgent', authMethod: 'none' },
    {
      ...web,
      id: 'keyed',
      authMethod: 'private_key_jwt',
      keys: [{ id: 'k1', publicKeyJwk: KEYED.publicKey.export({ format: 'jwk' }) }],
    },
    { ...web, ...withSecret, id: 'no-refresh', grantTypes: ['authorization_code'] },
    { ...web, ...withSecret, id: 'asserting', idTokenUserinfoAssertion: true, idTokenSigningAlg: 'ES256' },
    { ...web, ...withSecret, id: 'short-lived', accessTokenLifetime: '1s' },
    { ...web, ...withSecret, id: 'keeping', refreshTokensSurviveLogout: true },
    { id: 'api', type: 'api', authMethod: 'client_secret_basic', clientSecret: API_SECRET },
  ].map((application) => ({ clientId: application.id, name: application.id, ...application }))
}

const ADMINISTRATOR = {
  id: 'administrator',
  userName: 'administrator',
  roles: ['IAM_OWNER'],
  personalAccessTokens: [{ id: 'first', token: ADMIN_TOKEN }],
}

interface DocumentOptions {
  /** Redirect URIs of all applications that have some. */
  readonly redirectUris?: readonly string[]
  readonly postLogoutRedirectUris?: readonly string[]
  /** Beside the administrator. */
  readonly serviceUsers?: readonly object[]
  /** Beside those of the project `portal`. */
  readonly moreApplications?: readonly object[]
}

/** A bootstrap document: one organization, a handful of users, two projects, an application for each rule. */
export function bootstrapDocument({
  redirectUris = [REDIRECT_URI],
  postLogoutRedirectUris = [POST_LOGOUT_URI],
  serviceUsers = [],
  moreApplications = [],
}: DocumentOptions = {}) {
  const foreign = { id: 'foreign', clientId: 'foreign', name: 'foreign', type: 'api' }
  return {
    organizations: [
      {
        id: 'acme',
        name: 'ACME',
        primaryDomain: 'acme.localhost',
        users: [{ ...ALICE, phone: { ...ALICE.phone, verified: false }, password: PASSWORD }, ...PLAIN_USERS],
        serviceUsers: [ADMINISTRATOR, ...serviceUsers],
        projects: [
          {
            id: 'portal',
            name: 'Portal',
            applications: [...applications(redirectUris, postLogoutRedirectUris), ...moreApplications],
          },
          {
            id: 'elsewhere',
            name: 'Elsewhere',
            applications: [{ ...foreign, authMethod: 'client_secret_basic', clientSecret: OTHER_SECRET }],
          },
        ],
      },
    ],
    defaultOrganization: 'acme',
  }
}

/** Settings without the limits of one network: all users and clients of a test share one address. */
export const UNLIMITED = { SIGNET_RATE_LIMIT_SIGN_IN: '0', SIGNET_RATE_LIMIT_PUBLIC: '0' }
