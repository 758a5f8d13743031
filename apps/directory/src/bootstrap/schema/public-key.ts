import { readPublicJwk, readPublicPem } from '@signet/protocol/public-key'
import { z } from 'zod'
import { identifier } from './text-fields.ts'

/** A registered public key, read from a JWK or a PEM text. */
export const registeredKey = z
  .strictObject({
    id: identifier.describe('The kid that assertions name.'),
    publicKeyJwk: z.record(z.string(), z.unknown()).optional(),
    publicKeyPem: z.string().optional(),
  })
  .transform(({ id, publicKeyJwk, publicKeyPem }, context) => {
    const read = readPublicKey(publicKeyJwk, publicKeyPem)
    if ('jwk' in read) return { id, jwk: read.jwk }
    context.addIssue({ code: 'custom', message: read.problem })
    return z.NEVER
  })

/** A public key to register, or what is wrong with it. */
export function readPublicKey(
  jwk: Readonly<Record<string, unknown>> | undefined,
  pem: string | undefined,
): ReturnType<typeof readPublicJwk> {
  if ((jwk === undefined) === (pem === undefined))
    return { problem: 'needs either publicKeyJwk or publicKeyPem' }
  if (jwk !== undefined) return readPublicJwk(jwk)
  if (pem?.includes('PRIVATE KEY')) return { problem: 'is a private key; register its public half only' }
  return readPublicPem(pem ?? '')
}
