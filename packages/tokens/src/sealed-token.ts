import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import type { RandomBytes } from './identifiers.ts'

/** The purpose of a seal. A token of one purpose never opens as another: prefix, `typ` and subkey all differ. */
export interface SealPurpose {
  readonly prefix: string
  readonly typ: string
  /** The `info` of HKDF (RFC 5869 section 3.2). */
  readonly info: string
}

export const ACCESS_TOKEN_SEAL: SealPurpose = {
  prefix: 'sgat_',
  typ: 'sgat+jwe',
  info: 'signet access token',
}
export const AUTHORIZATION_CODE_SEAL: SealPurpose = {
  prefix: 'sgco_',
  typ: 'sgco+jwe',
  info: 'signet authorization code',
}

/** A 256-bit key of a sealing ring. */
export interface RingKey {
  readonly kid: string
  readonly key: KeyObject
}

// Random 96-bit nonces under one key: after 2^31 seals the probability of a repeat is still below 2^-34.
const SEALS_PER_SUBKEY = 2 ** 31
const SALT_BYTES = 8
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Seals plaintexts as compact JWE (RFC 7516 section 7.1, `dir`, `A256GCM`) behind the purpose's prefix. */
export interface Sealer {
  seal(plaintext: Buffer): string
}

/** A sealer under one ring key. It derives a subkey of its own, so replicas never share a nonce space. */
export function createSealer(purpose: SealPurpose, ringKey: RingKey, random: RandomBytes): Sealer {
  let subkey = freshSubkey(purpose, ringKey, random)
  let seals = 0

  return {
    seal(plaintext) {
      if (seals === SEALS_PER_SUBKEY) {
        subkey = freshSubkey(purpose, ringKey, random)
        seals = 0
      }
      seals += 1
      const iv = random(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', subkey.key, iv)
      cipher.setAAD(subkey.header)
      const body = cipher.update(plaintext)
      cipher.final()
      return `${subkey.start}${iv.toString('base64url')}.${body.toString('base64url')}.${cipher.getAuthTag().toString('base64url')}`
    },
  }
}

function freshSubkey(purpose: SealPurpose, ringKey: RingKey, random: RandomBytes) {
  const salt = random(SALT_BYTES)
  const header = Buffer.from(
    JSON.stringify({
      alg: 'dir',
      enc: 'A256GCM',
      kid: `${ringKey.kid}.${salt.toString('base64url')}`,
      typ: purpose.typ,
    }),
  ).toString('base64url')
  return {
    header: Buffer.from(header, 'ascii'),
    start: `${purpose.prefix}${header}..`,
    key: deriveSubkey(purpose, ringKey.key, salt),
  }
}

/** The key that seals under `salt`: HKDF-SHA-256 (RFC 5869) of the ring key. */
export function deriveSubkey(purpose: SealPurpose, ringKey: KeyObject, salt: Buffer): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', ringKey, salt, purpose.info, 32)))
}

/** Opens sealed tokens with the ring keys that `keyOf` returns. */
export interface Opener {
  /** The plaintext and the ring key's id, or undefined for anything that was not sealed for this purpose. */
  open(token: string): OpenedToken | undefined
}

export interface OpenedToken {
  readonly kid: string
  readonly plaintext: Buffer
}

// Enough for the subkeys of every replica that sealed within a token's life; the oldest go first.
const CACHED_SUBKEYS = 4_096
const LONGEST_HEADER = 400

export function createOpener(purpose: SealPurpose, keyOf: (kid: string) => KeyObject | undefined): Opener {
  const subkeys = new Map<string, { kid: string; key: KeyObject }>()

  function remember(header: string, subkey: { kid: string; key: KeyObject }) {
    if (subkeys.size >= CACHED_SUBKEYS) {
      const oldest = subkeys.keys().next().value
      if (oldest !== undefined) subkeys.delete(oldest)
    }
    subkeys.set(header, subkey)
  }

  return {
    open(token) {
      if (!token.startsWith(purpose.prefix)) return undefined
      const [header, encryptedKey, iv, body, tag, ...rest] = token.slice(purpose.prefix.length).split('.')
      if (!header || encryptedKey !== '' || !iv || body === undefined || !tag || rest.length > 0)
        return undefined
      const cached = subkeys.get(header)
      // A key that has left its ring opens nothing more, cached or not.
      if (cached !== undefined && keyOf(cached.kid) === undefined) {
        subkeys.delete(header)
        return undefined
      }
      const subkey = cached ?? subkeyOf(purpose, header, keyOf)
      if (subkey === undefined) return undefined
      const plaintext = decrypt(subkey.key, header, iv, body, tag)
      if (plaintext === undefined) return undefined
      // Cached after the tag has matched: headers that open nothing must not evict good ones.
      if (cached === undefined) remember(header, subkey)
      return { kid: subkey.kid, plaintext }
    },
  }
}

function subkeyOf(purpose: SealPurpose, header: string, keyOf: (kid: string) => KeyObject | undefined) {
  if (header.length > LONGEST_HEADER) return undefined
  const fields = parseHeader(header)
  if (fields?.alg !== 'dir' || fields.enc !== 'A256GCM' || fields.typ !== purpose.typ) return undefined
  const [kid, salt, ...rest] = typeof fields.kid === 'string' ? fields.kid.split('.') : []
  if (kid === undefined || salt === undefined || rest.length > 0) return undefined
  const ringKey = keyOf(kid)
  return ringKey && { kid, key: deriveSubkey(purpose, ringKey, Buffer.from(salt, 'base64url')) }
}

function parseHeader(header: string): Record<string, unknown> | undefined {
  try {
    const fields: unknown = JSON.parse(Buffer.from(header, 'base64url').toString('utf8'))
    return typeof fields === 'object' && fields !== null ? (fields as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function decrypt(key: KeyObject, header: string, iv: string, body: string, tag: string): Buffer | undefined {
  const nonce = Buffer.from(iv, 'base64url')
  const authTag = Buffer.from(tag, 'base64url')
  if (nonce.length !== NONCE_BYTES || authTag.length !== TAG_BYTES) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, nonce)
  decipher.setAAD(Buffer.from(header, 'ascii'))
  decipher.setAuthTag(authTag)
  const plaintext = decipher.update(body, 'base64url')
  try {
    decipher.final()
  } catch {
    // The tag did not match: forged, damaged, or sealed under another key.
    return undefined
  }
  return plaintext
}
