// Seals the secrets of keys under the master key of the installation.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { fingerprintOf } from '@signet/platform/sealing/fingerprint'

/**
 * Seals the secrets of keys for storage. A key management service fits behind it too: both directions are
 * asynchronous, and the sealed text names the key that opens it. `docs/runbooks/rotate-secrets.md` describes the
 * rotation.
 */
export interface SecretSealer {
  /** Answers a printable text; `context` must be the same when it is opened. */
  seal(secret: Buffer, context: string): Promise<string>
  /** Rejects with UnknownMasterKeyError when the text was sealed under a key that this sealer does not hold. */
  open(sealed: string, context: string): Promise<Buffer>
  /** Whether `seal` would seal it under the same master key today. */
  isNewest(sealed: string): boolean
}

/** The sealed text names a master key that is not in the list, or does not belong to this sealer at all. */
export class UnknownMasterKeyError extends Error {
  readonly fingerprint: string

  constructor(fingerprint: string) {
    super(`sealed under the master key ${fingerprint}, which is not in the list`)
    this.name = 'UnknownMasterKeyError'
    this.fingerprint = fingerprint
  }
}

const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Seals with AES-256-GCM under the first of several master keys and opens with any of them, so that a new one
 * can be put in front without downtime. A sealed text is `mk1.<fingerprint>.<base64url of nonce, ciphertext, tag>`.
 */
export function masterKeySealer(masterKeys: readonly Buffer[]): SecretSealer {
  const [newest] = masterKeys
  if (newest === undefined) throw new RangeError('a sealer needs at least one master key')
  const prefix = `mk1.${fingerprintOf(newest)}.`
  const byFingerprint = new Map(masterKeys.map((key) => [fingerprintOf(key), key]))
  return {
    async seal(secret, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', newest, nonce).setAAD(Buffer.from(context))
      const sealed = Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()])
      return `${prefix}${sealed.toString('base64url')}`
    },
    isNewest: (text) => text.startsWith(prefix),
    async open(text, context) {
      const [version, fingerprint = '', body = ''] = text.split('.')
      const key = byFingerprint.get(fingerprint)
      if (version !== 'mk1' || key === undefined) throw new UnknownMasterKeyError(fingerprint)
      const sealed = Buffer.from(body, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
      decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
    },
  }
}
