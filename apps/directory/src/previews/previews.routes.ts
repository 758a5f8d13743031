import { GRANT_TYPES } from '@signet/protocol/grant-types'
import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { applicationId, userId } from '../api/parameters.ts'
import { onUser, viewsOrganization } from '../permissions/permission.ts'
import { previewTokens } from './previews.service.ts'

const claims = (description: string) => z.record(z.string(), z.unknown()).describe(description)

const reason = z.string().describe('A label of docs/reference/errors.md.')
const rule = z.string().describe('The rule in words.')

export const previewOperations = [
  operation({
    id: 'token.preview',
    summary: 'Shows what the tokens of a user would contain',
    description:
      'Evaluates a sign-in to an application by the functions that issue tokens, without issuing one. Claims of a single sign-in or token are left out: jti, sid, auth_time, amr, acr, nonce, at_hash. Needs the right to see the organization of the user and the project of the application.',
    method: 'get',
    path: '/management/v1/token-preview',
    query: {
      userId,
      applicationId,
      scope: z
        .string()
        .max(2000, 'may have 2000 characters at most')
        .default('openid profile email')
        .describe('The scopes of the request, separated by spaces.'),
      resource: z
        .string()
        .max(2000, 'may have 2000 characters at most')
        .optional()
        .describe('The URIs of the parameter resource of the request (RFC 8707), separated by spaces.'),
      grantType: z
        .enum([GRANT_TYPES.authorizationCode, GRANT_TYPES.deviceCode])
        .default(GRANT_TYPES.authorizationCode)
        .describe('The grant by which the application gets the tokens.'),
    },
    response: z
      .strictObject({
        scopes: z.array(z.string()).readonly().describe('Those that would be granted.'),
        droppedScopes: z
          .array(z.strictObject({ scope: z.string(), reason, rule }))
          .readonly()
          .describe('Those that the sign-in would go on without.'),
        refusals: z
          .array(
            z.strictObject({
              reason,
              rule,
              projectId: z.string().optional().describe('The project whose rule it is.'),
              resource: z.string().optional().describe('The URI of resource that is refused.'),
            }),
          )
          .readonly()
          .describe(
            'The rules that would refuse the sign-in. The claims are those of one that no rule refuses.',
          ),
        accessTokenType: z.enum(['jwt', 'opaque']),
        accessToken: claims(
          'The claims of the JWT; for an opaque token what introspection shows the application.',
        ),
        idToken: claims('The claims of the ID token.'),
        userinfo: claims('The response of userinfo.'),
      })
      .meta({ id: 'TokenPreview' }),
    permission: onUser(viewsOrganization),
    target: { kind: 'user', field: 'userId' },
    handle: previewTokens,
  }),
]
