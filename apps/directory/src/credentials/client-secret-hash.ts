import { createHash } from 'node:crypto'
import type { PasswordHasher } from '@signet/password-hash/password-hasher'

/** 256 bits in base64url. A secret of at least this length is taken to be random. */
const LONG_SECRET_CHARACTERS = 43

/** How a client secret is stored: `sha256$…` for long ones, a slow hash for what a person may have chosen. */
export async function hashClientSecret(secret: string, hasher: PasswordHasher): Promise<string> {
  if (secret.length < LONG_SECRET_CHARACTERS) return hasher.hashPassword(secret)
  return `sha256$${createHash('sha256').update(secret).digest('base64url')}`
}
