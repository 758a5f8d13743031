import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import type { RandomBytes } from '@signet/tokens/identifiers'

// Layout: version (1) | first bytes of the key's SHA-256 (4) | nonce (12) | ciphertext | tag (16)
const VERSION = 1
const KEY_ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES

/** Seals what a job keeps in the database while it runs. */
export interface StagedSealer {
  /** `place` is authenticated: a text sealed for one place opens for no other. */
  seal(plaintext: Buffer, place: string): Buffer
  /** Throws when none of the keys sealed it, or not for this place. */
  open(sealed: Buffer, place: string): Buffer
}

/** AES-256-GCM under the first key; all of them open. */
export function createStagedSealer(keys: readonly Buffer[], random: RandomBytes): StagedSealer {
  const known = keys.map((key) => ({ key, id: keyId(key) }))
  const [newest] = known
  if (newest === undefined) throw new Error('sealing needs a master key')
  return {
    seal(plaintext, place) {
      const nonce = random(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', newest.key, nonce).setAAD(Buffer.from(place))
      const header = [Buffer.of(VERSION), newest.id, nonce]
      return Buffer.concat([...header, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
    },
    open(sealed, place) {
      const id = sealed.subarray(1, 1 + KEY_ID_BYTES)
      const found = known.find((candidate) => candidate.id.equals(id))
      if (sealed[0] !== VERSION || found === undefined) {
        throw new Error('what was staged is sealed under another SIGNET_MIGRATION_MASTER_KEY')
      }
      const decipher = createDecipheriv(
        'aes-256-gcm',
        found.key,
        sealed.subarray(1 + KEY_ID_BYTES, HEADER_BYTES),
      )
      decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES, -TAG_BYTES)), decipher.final()])
    },
  }
}

function keyId(key: Buffer): Buffer {
  return createHash('sha256').update('signet key id').update(key).digest().subarray(0, KEY_ID_BYTES)
}
