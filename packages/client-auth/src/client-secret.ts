import { createHmac, createSecretKey, hash, timingSafeEqual } from 'node:crypto'
import { BusyError, type PasswordHasher } from '@signet/password-hash/password-hasher'
import { TemporarilyUnavailableError } from '@signet/protocol/errors'
import type { SecretVerifier } from './authenticate-client.ts'

const REMEMBERED = 10_000
const SHA256_PREFIX = 'sha256$'

/**
 * Random secrets are stored as SHA-256 and compared in constant time. A secret that a person chose has a slow hash:
 * it is verified once with its own algorithm and then cached in this process under a keyed hash, which is useless
 * outside it. `processKey` is 32 random bytes made at start.
 */
export function createSecretVerifier(passwords: PasswordHasher, processKey: Buffer): SecretVerifier {
  const verified = new Set<string>()
  const key = createSecretKey(processKey)

  async function matchesSlowHash(stored: string, secret: string): Promise<boolean> {
    const memory = createHmac('sha256', key).update(stored).update('\0').update(secret).digest('base64')
    if (verified.has(memory)) return true
    const { matches } = await passwords.verifyPassword(stored, secret).catch(busyToUnavailable)
    if (!matches) return false
    if (verified.size >= REMEMBERED) verified.clear()
    verified.add(memory)
    return true
  }

  return {
    async matches(client, secret, now, beforeGuessable) {
      const slow: string[] = []
      for (const { hash: stored, expiresAt } of client.secrets) {
        if (expiresAt !== null && expiresAt.getTime() <= now.getTime()) continue
        if (!stored.startsWith(SHA256_PREFIX)) slow.push(stored)
        else if (matchesDigest(stored.slice(SHA256_PREFIX.length), secret)) return true
      }
      if (slow.length > 0) beforeGuessable()
      for (const stored of slow) if (await matchesSlowHash(stored, secret)) return true
      return false
    },
  }
}

function busyToUnavailable(cause: unknown): never {
  if (!(cause instanceof BusyError)) throw cause
  throw new TemporarilyUnavailableError('Too many client secrets are being verified; repeat the call', {
    reason: 'secret_verification_busy',
    cause,
  })
}

function matchesDigest(stored: string, secret: string): boolean {
  const expected = Buffer.from(stored, 'base64url')
  // By way of a text, which costs less than a Buffer that is made outside JavaScript.
  const given = Buffer.from(hash('sha256', secret, 'binary'), 'binary')
  return expected.length === given.length && timingSafeEqual(expected, given)
}
