import { SIGNING_ALGORITHMS } from '@signet/protocol/signing-algorithms'
import { z } from 'zod'
import { readPublicKey } from '../bootstrap/schema/public-key.ts'
import { identifier } from '../bootstrap/schema/text-fields.ts'
import { moment, timestamp } from '../management/timestamp.ts'

const shown = {
  id: z.string(),
  publicKeyJwk: z.record(z.string(), z.unknown()),
  createdAt: timestamp,
  expiresAt: timestamp.nullable().describe('Null: never.'),
}

export const key = z.strictObject(shown).meta({ id: 'Key' })

/** The answer to a new key; `owner` is what its file says about whose it is. */
export function newKeyOf<Owner extends z.core.$ZodLooseShape>(owner: Owner) {
  const keyFile = z.strictObject({
    keyId: z.string(),
    key: z.string().describe('The private key as PEM.'),
    expirationDate: z.string().optional(),
    ...owner,
  })
  return z.strictObject({
    ...shown,
    keyFile: keyFile
      .optional()
      .describe('Of a generated key, for client libraries. Shown here and nowhere again.'),
  })
}

export const keyRequest = z
  .strictObject({
    id: identifier.optional().describe('The kid of assertions; generated when left out.'),
    expiresAt: moment.optional().describe('Never when left out.'),
    publicKeyJwk: z.record(z.string(), z.unknown()).optional().describe('An RSA, P-256 or Ed25519 key.'),
    publicKeyPem: z.string().max(10_000).optional().describe('The same as PEM.'),
    algorithm: z
      .enum(SIGNING_ALGORITHMS)
      .default('RS256')
      .describe('What a key is generated for when no public key is given.'),
  })
  .transform(({ publicKeyJwk, publicKeyPem, ...rest }, context) => {
    if (publicKeyJwk === undefined && publicKeyPem === undefined) return rest
    const read = readPublicKey(publicKeyJwk, publicKeyPem)
    if ('jwk' in read) return { ...rest, publicKey: read.jwk }
    const field = publicKeyPem === undefined ? 'publicKeyJwk' : 'publicKeyPem'
    context.addIssue({ code: 'custom', path: [field], message: read.problem })
    return z.NEVER
  })
