import { CLIENT_AUTH_METHODS } from '@signet/protocol/client-auth-methods'
import { GRANT_TYPES } from '@signet/protocol/grant-types'
import { RESPONSE_TYPES } from '@signet/protocol/response-types'
import { z } from 'zod'
import { APPLICATION_TYPES } from '../../applications/application.ts'
import { duration } from './duration.ts'
import { registeredKey } from './public-key.ts'
import { accessTokenType, clientSecret, signingAlgorithm } from './service-user.ts'
import { name, newIdentifier } from './text-fields.ts'
import { backChannelLogoutUri, origin, redirectUri } from './uri-fields.ts'

export const applicationSchema = z.strictObject({
  id: newIdentifier.optional().describe('Generated when left out.'),
  clientId: newIdentifier.optional().describe('Generated when left out.'),
  name,
  type: z.enum(APPLICATION_TYPES),
  authMethod: z.enum(CLIENT_AUTH_METHODS).optional(),
  clientSecret: clientSecret.optional(),
  keys: z.array(registeredKey).optional(),
  redirectUris: z.array(redirectUri).optional(),
  postLogoutRedirectUris: z.array(redirectUri).optional(),
  responseTypes: z.array(z.enum(RESPONSE_TYPES)).optional(),
  grantTypes: z.array(z.enum(GRANT_TYPES)).optional(),
  accessTokenType: accessTokenType.optional(),
  accessTokenSigningAlg: signingAlgorithm.optional(),
  idTokenSigningAlg: signingAlgorithm.optional(),
  accessTokenLifetime: duration('1s', '24h').optional(),
  idTokenLifetime: duration('1s', '24h').optional(),
  idTokenUserinfoAssertion: z.boolean().optional(),
  accessTokenRoleAssertion: z.boolean().optional(),
  idTokenRoleAssertion: z.boolean().optional(),
  backChannelLogoutUri: backChannelLogoutUri.optional(),
  allowedOrigins: z.array(origin).optional().describe('CORS on token, userinfo and revoke.'),
  devMode: z.boolean().optional(),
  pkceOptional: z.boolean().optional(),
  refreshTokensSurviveLogout: z.boolean().optional(),
  mayCallApi: z
    .boolean()
    .optional()
    .describe(
      "Tokens of people may be presented to Signet's own APIs. Ends when the file changes who gets the tokens without stating it.",
    ),
  firstParty: z
    .boolean()
    .optional()
    .describe('People are not asked for consent. Ends in the same way as mayCallApi.'),
})
