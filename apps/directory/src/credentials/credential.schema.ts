import type { JsonWebKey } from 'node:crypto'
import { identifier } from '@signet/file-formats/export/record-schemas/fields'
import { SIGNING_ALGORITHMS } from '@signet/protocol/signing-algorithms'
import { z } from 'zod'
import { moment, timestamp } from '../api/parameters.ts'
import { readPublicKey } from '../schema/people.ts'

export interface PersonalAccessToken {
  readonly id: string
  readonly createdAt: Date
  /** Null: it does not expire. */
  readonly expiresAt: Date | null
  /** The administrator roles that it is narrowed to; null: all that its owner holds. */
  readonly roles: readonly string[] | null
}

/** A public key; the holder of the private key signs assertions (RFC 7523) that name it as `kid`. */
export interface RegisteredKey {
  readonly id: string
  readonly publicKeyJwk: JsonWebKey
  readonly createdAt: Date
  /** Null: it does not expire. */
  readonly expiresAt: Date | null
}

/** The format that client libraries read; the private key is in one response and is not stored. */
export interface KeyFile {
  readonly keyId: string
  /** PEM: PKCS#1 for RSA, else PKCS#8. */
  readonly key: string
  readonly expirationDate?: string
}

export interface ServiceUserKeyFile extends KeyFile {
  readonly type: 'serviceaccount'
  readonly userId: string
}

export interface ApplicationKeyFile extends KeyFile {
  readonly type: 'application'
  readonly appId: string
  readonly clientId: string
}

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
      .describe('The file of a generated key, for client libraries. Only this response shows it.'),
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

const MOST_OVERLAP_SECONDS = 30 * 86_400

export const overlapSeconds = z
  .int()
  .min(0, 'must be 0 or more')
  .max(MOST_OVERLAP_SECONDS, `may be ${MOST_OVERLAP_SECONDS} at most`)
  .describe('How long the secrets before it are still accepted.')

export const newClientSecret = z
  .strictObject({
    clientId: z.string(),
    clientSecret: z.string().describe('Only this response shows it.'),
    previousValidUntil: timestamp.describe('Until when the secrets before it are accepted.'),
  })
  .meta({ id: 'NewClientSecret' })
