import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { identifier } from './text-fields.ts'

/** RFC 7518 section 3.3. */
const LEAST_RSA_BITS = 2048

/** A registered public key, read from a JWK or a PEM text; only its public members come out. */
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

/** Its public members, or what is wrong with it. */
export function readPublicKey(
  jwk: Readonly<Record<string, unknown>> | undefined,
  pem: string | undefined,
): { readonly jwk: JsonWebKey } | { readonly problem: string } {
  if ((jwk === undefined) === (pem === undefined))
    return { problem: 'needs either publicKeyJwk or publicKeyPem' }
  if (jwk?.d !== undefined || pem?.includes('PRIVATE KEY')) {
    return { problem: 'is a private key; register its public half only' }
  }
  try {
    const key =
      jwk === undefined
        ? createPublicKey(pem ?? '')
        : createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
    const problem = unsuitable(key)
    return problem === undefined ? { jwk: key.export({ format: 'jwk' }) } : { problem }
  } catch {
    return { problem: 'is not a readable public key' }
  }
}

function unsuitable({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | undefined {
  switch (asymmetricKeyType) {
    case 'ed25519':
      return undefined
    case 'rsa':
      return (asymmetricKeyDetails?.modulusLength ?? 0) >= LEAST_RSA_BITS
        ? undefined
        : `must have at least ${LEAST_RSA_BITS} bits`
    case 'ec':
      return asymmetricKeyDetails?.namedCurve === 'prime256v1' ? undefined : 'must be on the curve P-256'
    default:
      return 'must be an RSA, P-256 or Ed25519 key'
  }
}
