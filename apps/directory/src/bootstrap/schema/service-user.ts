import { SIGNING_ALGORITHMS } from '@signet/oauth-protocol/signing-algorithms'
import { z } from 'zod'
import { registeredKey } from './public-key.ts'
import { type ExpandSecret, secretField } from './secret-field.ts'
import { identifier, moment, name } from './text-fields.ts'
import { administratorRole } from './user.ts'

export const accessTokenType = z.enum(['bearer', 'jwt']).describe('bearer: opaque; jwt: RFC 9068')
export const signingAlgorithm = z.enum(SIGNING_ALGORITHMS)

export function clientSecret(expand: ExpandSecret) {
  return secretField(expand).pipe(z.string().min(16, 'must have 16 characters or more'))
}

function personalAccessToken(expand: ExpandSecret) {
  return z
    .strictObject({
      id: identifier,
      token: secretField(expand).pipe(z.string().min(32, 'must have 32 characters or more')).optional(),
      outputFile: z.string().min(1).optional().describe('Where a generated token is written, mode 0600.'),
      expiresAt: moment.optional(),
    })
    .refine(({ token, outputFile }) => token !== undefined || outputFile !== undefined, {
      error: 'needs token, or outputFile for a generated one',
    })
}

export function serviceUserSchema(expand: ExpandSecret) {
  return z.strictObject({
    id: identifier.optional().describe('Generated when left out.'),
    userName: name,
    name: name.optional().describe('By default the user name.'),
    clientId: identifier.optional().describe('By default the user name.'),
    accessTokenType: accessTokenType.optional(),
    accessTokenSigningAlg: signingAlgorithm.optional(),
    roles: z.array(administratorRole).optional(),
    clientSecret: clientSecret(expand).optional(),
    personalAccessTokens: z.array(personalAccessToken(expand)).optional(),
    keys: z.array(registeredKey).optional(),
  })
}
