import fc from 'fast-check'
import { anyOf, each, keys, secret, text, url } from './values.ts'

const signingAlgorithm = fc.constantFrom('RS256', 'ES256', 'EdDSA')

const settings = anyOf({
  responseTypes: fc.subarray(['code', 'id_token', 'id_token token']),
  grantTypes: fc.subarray([
    'authorization_code',
    'implicit',
    'refresh_token',
    'urn:ietf:params:oauth:grant-type:token-exchange',
    'client_credentials',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
  ]),
  accessTokenType: fc.constantFrom('bearer', 'jwt'),
  accessTokenSigningAlg: signingAlgorithm,
  idTokenSigningAlg: signingAlgorithm,
  ...each(['accessTokenLifetime', 'idTokenLifetime'], fc.constantFrom('1s', '90m', '24h')),
  ...each(
    [
      'idTokenUserinfoAssertion',
      'accessTokenRoleAssertion',
      'idTokenRoleAssertion',
      'devMode',
      'pkceOptional',
      'refreshTokensSurviveLogout',
      'mayCallApi',
      'firstParty',
    ],
    fc.boolean(),
  ),
  backChannelLogoutUri: url,
  allowedOrigins: fc.subarray(['https://app.example', 'http://localhost:3000']),
  keys,
})

const uris = fc.uniqueArray(url, { maxLength: 2 })
const redirects = anyOf({ redirectUris: uris, postLogoutRedirectUris: uris })

/** Every type with every method that it may have. */
const proof = fc.oneof(
  fc.record({
    type: fc.constantFrom('web', 'userAgent', 'native'),
    authMethod: fc.constantFrom('client_secret_basic', 'client_secret_post'),
    clientSecret: secret,
  }),
  fc.record({
    type: fc.constantFrom('web', 'userAgent', 'native'),
    authMethod: fc.constantFrom('none', 'private_key_jwt'),
  }),
)
const browserApplication = fc.tuple(proof, redirects).map(([how, where]) => ({ ...how, ...where }))
const apiApplication = fc.record({
  type: fc.constant('api'),
  authMethod: fc.constantFrom('client_secret_basic', 'private_key_jwt'),
})
const application = fc
  .tuple(text, fc.oneof({ weight: 3, arbitrary: browserApplication }, apiApplication), settings)
  .map(([name, kind, more]) => ({ name, ...kind, ...more }))

const role = fc
  .tuple(text, anyOf({ displayName: text, group: text }))
  .map(([key, more]) => ({ key, ...more }))
const flags = anyOf({
  ...each(['projectRoleAssertion', 'projectRoleCheck', 'hasProjectCheck'], fc.boolean()),
  allowedAudiences: fc.subarray(['first-client', 'second-client']),
})

/** A project with roles and applications. */
export const project = fc
  .record({
    name: text,
    flags,
    roles: fc.uniqueArray(role, { selector: ({ key }) => key, maxLength: 3 }),
    applications: fc.array(application, { maxLength: 3 }),
  })
  .map(({ flags: more, ...rest }) => ({ ...rest, ...more }))
