import { CLIENT_AUTH_METHODS } from '@signet/protocol/client-auth-methods'
import { GRANT_TYPES } from '@signet/protocol/grant-types'
import { RESPONSE_TYPES } from '@signet/protocol/response-types'
import { z } from 'zod'
import { APPLICATION_TYPES } from '../../applications/application.ts'
import { MOST_LIFETIME_SECONDS } from '../../applications/application-rules.ts'
import { accessTokenType, signingAlgorithm } from '../../bootstrap/schema/service-user.ts'
import { name, newIdentifier } from '../../bootstrap/schema/text-fields.ts'
import { backChannelLogoutUri, origin, redirectUri } from '../../bootstrap/schema/uri-fields.ts'
import { timestamp } from './timestamp.ts'

export const applicationState = z.enum(['active', 'inactive'])

const lifetime = z
  .int()
  .min(1, 'must be 1 or more')
  .max(MOST_LIFETIME_SECONDS, `may be ${MOST_LIFETIME_SECONDS} at most`)
  .nullable()
  .describe('Null: the setting of the instance.')

/** What is the same in a request and in an answer. */
const plain = {
  type: z.enum(APPLICATION_TYPES),
  authMethod: z.enum(CLIENT_AUTH_METHODS),
  responseTypes: z.array(z.enum(RESPONSE_TYPES)).readonly(),
  grantTypes: z.array(z.enum(GRANT_TYPES)).readonly(),
  accessTokenType,
  accessTokenSigningAlg: signingAlgorithm,
  idTokenSigningAlg: signingAlgorithm,
  accessTokenLifetimeSeconds: lifetime,
  idTokenLifetimeSeconds: lifetime,
  idTokenUserinfoAssertion: z.boolean(),
  accessTokenRoleAssertion: z.boolean(),
  idTokenRoleAssertion: z.boolean(),
  devMode: z.boolean().describe('Allows http redirect URIs.'),
  pkceOptional: z.boolean(),
  refreshTokensSurviveLogout: z.boolean(),
  mayCallApi: z
    .boolean()
    .describe("Tokens of people may be presented to Signet's own APIs. Only an IAM_OWNER sets it."),
  firstParty: z
    .boolean()
    .describe(
      'People are not asked for consent. Only an IAM_OWNER sets it; ends when a redirect URI changes unless an IAM_OWNER states it.',
    ),
}

export const applicationSettings = {
  ...plain,
  clientId: newIdentifier,
  name,
  redirectUris: z.array(redirectUri).readonly(),
  postLogoutRedirectUris: z.array(redirectUri).readonly(),
  backChannelLogoutUri: backChannelLogoutUri.nullable(),
  allowedOrigins: z.array(origin).readonly().describe('CORS on token, userinfo and revoke.'),
}

// What is stored may be older than a rule: answers promise its type, not its syntax.
const shown = {
  id: z.string(),
  projectId: z.string(),
  clientId: z.string(),
  name: z.string(),
  state: applicationState,
  ...plain,
  redirectUris: z.array(z.string()).readonly(),
  postLogoutRedirectUris: z.array(z.string()).readonly(),
  backChannelLogoutUri: z.string().nullable(),
  allowedOrigins: z.array(z.string()).readonly(),
  createdAt: timestamp,
}

export const application = z.strictObject(shown).meta({ id: 'Application' })

export const newApplication = z
  .strictObject({
    ...shown,
    clientSecret: z
      .string()
      .optional()
      .describe('If it authenticates with a secret. Shown here and nowhere again.'),
  })
  .meta({ id: 'NewApplication' })
