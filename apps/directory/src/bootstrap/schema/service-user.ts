import { SIGNING_ALGORITHMS } from '@signet/protocol/signing-algorithms'
import { z } from 'zod'
import { registeredKey } from './public-key.ts'
import { identifier, moment, name, newIdentifier, newUserIdentifier } from './text-fields.ts'
import { administratorRole } from './user.ts'

export const accessTokenType = z.enum(['bearer', 'jwt']).describe('bearer: opaque; jwt: RFC 9068')
export const signingAlgorithm = z.enum(SIGNING_ALGORITHMS)

/** Checked after expansion: the file may hold a shorter reference to the secret. */
export const clientSecret = z
  .string()
  .refine((secret) => secret.length >= 16, 'must have 16 characters or more')

const personalAccessToken = z
  .strictObject({
    id: identifier,
    token: z
      .string()
      .refine((token) => token.length >= 32, 'must have 32 characters or more')
      .optional(),
    outputFile: z.string().min(1).optional().describe('Where a generated token is written, mode 0600.'),
    expiresAt: moment.optional(),
  })
  .refine(({ token, outputFile }) => token !== undefined || outputFile !== undefined, {
    error: 'needs token, or outputFile for a generated one',
  })

export const serviceUserSchema = z.strictObject({
  id: newUserIdentifier.optional().describe('Generated when left out.'),
  userName: name,
  name: name.optional().describe('By default the user name.'),
  clientId: newIdentifier.optional().describe('By default the user name.'),
  accessTokenType: accessTokenType.optional(),
  accessTokenSigningAlg: signingAlgorithm.optional(),
  roles: z.array(administratorRole).optional(),
  clientSecret: clientSecret.optional(),
  personalAccessTokens: z.array(personalAccessToken).optional(),
  keys: z.array(registeredKey).optional(),
})
