import { createPublicKey, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { identifier, moment, userIdentifier } from './fields.ts'

/** Whether the key may be registered is for the directory to say, of each record alone. */
const publicKey = z
  .string()
  .max(16_000)
  .refine((text) => readPublicKey(text) !== undefined, { error: 'must be base64 of a PEM public key' })

const type = z.unknown().optional()
const expirationDate = moment.optional()

export const applicationKey = z.object({
  id: identifier,
  projectId: identifier.optional(),
  appId: identifier,
  clientId: z.string().max(400).optional(),
  type,
  expirationDate,
  publicKey,
})

export const machineKey = z.object({
  keyId: identifier,
  userId: userIdentifier,
  type,
  expirationDate,
  publicKey,
})

/**
 * The key that base64 of a PEM text holds. Its label may say `RSA PUBLIC KEY` although a SubjectPublicKeyInfo follows,
 * as ZITADEL writes it. Undefined when there is none.
 */
export function readPublicKey(base64: string): KeyObject | undefined {
  const pem = Buffer.from(base64, 'base64').toString('latin1')
  const body =
    /^\s*-----BEGIN (RSA )?PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END (RSA )?PUBLIC KEY-----\s*$/.exec(pem)
  if (body === null) return undefined
  const key = Buffer.from(body[2] ?? '', 'base64')
  for (const encoding of ['spki', 'pkcs1'] as const) {
    try {
      return createPublicKey({ key, format: 'der', type: encoding })
    } catch {}
  }
  return undefined
}
