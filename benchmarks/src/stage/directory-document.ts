import { generateKeyPairSync, randomBytes } from 'node:crypto'

export const REDIRECT_URI = 'https://app.example.com/callback'
export const PASSWORD = 'Correct-horse-9'
export const SIGNED_OUT_URI = 'https://app.example.com/signed-out'
/** Secret of all confidential clients. */
export const SECRET = randomBytes(32).toString('base64url')
/** Token of an IAM_OWNER. */
export const ADMIN_TOKEN = randomBytes(32).toString('base64url')

/** The key of the client `backend-keyed`, and of the platform that its workload runs on. */
export const CLIENT_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' })
export const PLATFORM = { issuer: 'urn:platform', subject: 'system:serviceaccount:shop:orders' }
const clientJwk = { ...CLIENT_KEY.publicKey.export({ format: 'jwk' }), kid: 'k1' }

const withSecret = { authMethod: 'client_secret_basic', clientSecret: SECRET }
const backend = {
  type: 'web',
  redirectUris: [REDIRECT_URI],
  grantTypes: ['client_credentials'],
  ...withSecret,
}

const APPLICATIONS = [
  {
    id: 'web',
    type: 'web',
    redirectUris: [REDIRECT_URI],
    postLogoutRedirectUris: [SIGNED_OUT_URI],
    responseTypes: ['code'],
    ...withSecret,
  },
  {
    id: 'web-es256',
    type: 'web',
    redirectUris: [REDIRECT_URI],
    responseTypes: ['code'],
    idTokenSigningAlg: 'ES256',
    ...withSecret,
  },
  { id: 'api', type: 'api', ...withSecret },
  { id: 'backend', ...backend },
  {
    id: 'backend-keyed',
    type: 'api',
    grantTypes: ['client_credentials'],
    authMethod: 'private_key_jwt',
    keys: [{ id: 'k1', publicKeyJwk: clientJwk }],
    trustedIssuers: [{ id: 'platform', ...PLATFORM, keySet: { keys: [clientJwk] } }],
  },
  { id: 'backend-rs256', ...backend, accessTokenType: 'jwt', accessTokenSigningAlg: 'RS256' },
  { id: 'backend-es256', ...backend, accessTokenType: 'jwt', accessTokenSigningAlg: 'ES256' },
].map((application) => ({ clientId: application.id, name: application.id, firstParty: true, ...application }))

/** The bootstrap file of the measured instance: a user, and a client for each row. */
export const DIRECTORY_DOCUMENT = {
  organizations: [
    {
      id: 'acme',
      name: 'ACME',
      primaryDomain: 'acme.localhost',
      users: [
        {
          id: 'alice',
          userName: 'alice',
          profile: { givenName: 'Alice', familyName: 'Example', preferredLanguage: 'en' },
          email: { address: 'alice@acme.localhost', verified: true },
          password: PASSWORD,
        },
      ],
      serviceUsers: [
        {
          id: 'migrator',
          userName: 'migrator',
          roles: ['IAM_OWNER'],
          personalAccessTokens: [{ id: 'migration', token: ADMIN_TOKEN }],
        },
      ],
      projects: [{ id: 'portal', name: 'Portal', applications: APPLICATIONS }],
    },
  ],
  defaultOrganization: 'acme',
}
