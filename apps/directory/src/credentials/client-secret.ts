import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { PasswordHasher } from '@signet/password-hash/password-hasher'
import type { RandomBytes } from '@signet/tokens/identifiers'
import type { Tools } from '../api/management-call.ts'
import type { Epoch } from '../epochs/epoch.ts'
import type { ClientSecretStore, NewSecret } from './client-secret.repository.ts'

export function newPersonalAccessToken(random: RandomBytes): string {
  return newSecretText('sgpat_', random)
}

function newClientSecret(random: RandomBytes): string {
  return newSecretText('sgcs_', random)
}

/** Lets its holder register clients (RFC 7591 section 3). */
export function newInitialAccessToken(random: RandomBytes): string {
  return newSecretText('sgit_', random)
}

/** Lets a client manage its registration (RFC 7592). */
export function newRegistrationAccessToken(random: RandomBytes): string {
  return newSecretText('sgcr_', random)
}

/**
 * 256 random bits behind a prefix that secret scanners know, and a CRC-32 by which they recognize a
 * placeholder offline.
 */
function newSecretText(prefix: string, random: RandomBytes): string {
  const secret = `${prefix}${random(32).toString('base64url')}`
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(secret))
  return secret + checksum.toString('base64url')
}

/** 256 bits in base64url. A secret of at least this length is taken to be random. */
const LONG_SECRET_CHARACTERS = 43

/** How a client secret is stored: `sha256$…` for long ones, a slow hash for what a person may have chosen. */
async function hashClientSecret(secret: string, hasher: PasswordHasher): Promise<string> {
  if (secret.length < LONG_SECRET_CHARACTERS) return hasher.hashPassword(secret)
  return longSecretHash(secret)
}

/** How a secret is stored that was generated. */
export function longSecretHash(secret: string): string {
  return `sha256$${createHash('sha256').update(secret).digest('base64url')}`
}

export interface RotatedSecret {
  readonly clientId: string
  /** Answered once, and stored as a hash only. */
  readonly clientSecret: string
  /** Until when the secrets before it are accepted. */
  readonly previousValidUntil: Date
}

/** A secret to take the place of the ones before, and how it is stored. */
export async function rotatedSecret(
  clientId: string,
  overlapSeconds: number,
  { now, random, hasher }: Pick<Tools, 'now' | 'random' | 'hasher'>,
): Promise<{ readonly stored: NewSecret; readonly shown: RotatedSecret }> {
  const clientSecret = newClientSecret(random)
  const stored = await storedSecret(clientSecret, overlapSeconds, { now, hasher })
  return { stored, shown: { clientId, clientSecret, previousValidUntil: stored.othersEnd } }
}

/** How a secret is stored whose predecessors are accepted for `overlapSeconds` more. */
export async function storedSecret(
  secret: string,
  overlapSeconds: number,
  { now, hasher }: Pick<Tools, 'now' | 'hasher'>,
): Promise<NewSecret> {
  const at = now()
  const othersEnd = new Date(at.getTime() + overlapSeconds * 1000)
  return { hash: await hashClientSecret(secret, hasher), at, othersEnd }
}

/** Raises the epoch of an account or application: all of its tokens end. */
interface EpochStore {
  raiseEpoch(id: string): Promise<readonly Epoch[]>
}

/** Stores a newest secret. The epoch has risen if one before it has ended by that. */
export async function setServiceUserSecret(
  { accounts, clientSecrets }: { readonly accounts: EpochStore; readonly clientSecrets: ClientSecretStore },
  userId: string,
  secret: NewSecret,
): Promise<readonly Epoch[]> {
  return (await clientSecrets.rotateOfServiceUser(userId, secret)) ? accounts.raiseEpoch(userId) : []
}

/** Stores a new secret. Raises the epoch if an older secret ends with that. */
export async function setApplicationSecret(
  {
    applications,
    clientSecrets,
  }: { readonly applications: EpochStore; readonly clientSecrets: ClientSecretStore },
  applicationId: string,
  secret: NewSecret,
): Promise<readonly Epoch[]> {
  const hasEnded = await clientSecrets.rotateOfApplication(applicationId, secret)
  return hasEnded ? applications.raiseEpoch(applicationId) : []
}
