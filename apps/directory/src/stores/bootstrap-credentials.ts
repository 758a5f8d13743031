import { createHash } from 'node:crypto'
import type { PasswordHasher } from '@signet/password-hash/password-hasher'
import type { Queryable } from '@signet/platform/postgres/pool'
import type { Clock } from '@signet/platform/runtime/clock'
import { decodeBase32, type RandomBytes } from '@signet/tokens/identifiers'
import { ObjectConflict, type PlacedObject } from '../bootstrap/object-writer.ts'
import { hashClientSecret } from '../credentials/client-secret-hash.ts'
import { type PasswordComplexity, passwordProblems } from '../credentials/password-policy.ts'
import { newPersonalAccessToken } from '../credentials/secret-text.ts'
import { sealTotpSeed } from '../credentials/totp-seed.ts'
import { ownerId } from './bootstrap-organization-shapes.ts'

/** The dependencies of writing credentials besides the database. */
export interface CredentialWriting {
  readonly hasher: PasswordHasher
  readonly masterKeys: readonly Buffer[]
  readonly now: Clock
  readonly random: RandomBytes
  readonly newId: () => string
  /** Writes a file that only its owner may read. Throws ObjectConflict when it cannot. */
  readonly writeSecretFile: (path: string, content: string) => Promise<void>
}

/** Makes `password` the password of a user; refuses one that the organization's policy, as stored now, forbids. */
export async function setPassword(
  tx: Queryable,
  { hasher, now }: CredentialWriting,
  object: PlacedObject,
  password: string,
): Promise<void> {
  const { rows } = await tx.query<{ document: PasswordComplexity }>({
    name: 'bootstrap.password_complexity', // primary key
    text: 'SELECT directory.password_complexity($1) AS document',
    values: [ownerId(object)],
  })
  const problems = passwordProblems(password, rows[0]?.document)
  if (problems.length > 0)
    throw new ObjectConflict(problems.map(({ rule }) => rule).join(', '), { member: 'password' })
  await setPasswordHash(tx, object, await hasher.hashPassword(password), now())
}

export async function setPasswordHash(
  tx: Queryable,
  { id }: PlacedObject,
  hash: string,
  changedAt: Date,
): Promise<void> {
  await tx.query({
    name: 'bootstrap.account_password.set', // primary key
    text: `INSERT INTO directory.account_password (user_id, hash, changed_at) VALUES ($1, $2, $3)
               ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, changed_at = excluded.changed_at`,
    values: [id, hash, changedAt],
  })
}

export async function passwordChangeRequired(tx: Queryable, { id }: PlacedObject): Promise<boolean> {
  const { rows } = await tx.query<{ required: boolean }>({
    name: 'bootstrap.account_password.change_required', // primary key
    text: 'SELECT change_required AS required FROM directory.account_password WHERE user_id = $1',
    values: [id],
  })
  return rows[0]?.required ?? false
}

export async function setPasswordChangeRequired(
  tx: Queryable,
  { id }: PlacedObject,
  required: boolean,
): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'bootstrap.account_password.require_change', // primary key
    text: 'UPDATE directory.account_password SET change_required = $2 WHERE user_id = $1',
    values: [id, required],
  })
  if (rowCount === 0 && required) {
    throw new ObjectConflict('needs a password or a passwordHash', { member: 'passwordChangeRequired' })
  }
}

export async function setTotpSecret(
  tx: Queryable,
  { masterKeys, random }: CredentialWriting,
  { id }: PlacedObject,
  secret: string,
): Promise<void> {
  const seed = decodeBase32(secret)
  if (seed === undefined) throw new ObjectConflict('must be base32', { member: 'totpSecret' })
  await tx.query({
    name: 'bootstrap.account_totp.set', // primary key
    text: `INSERT INTO directory.account_totp (user_id, sealed_seed) VALUES ($1, $2)
               ON CONFLICT (user_id) DO UPDATE SET sealed_seed = excluded.sealed_seed`,
    values: [id, sealTotpSeed(masterKeys, id, seed, random)],
  })
}

const CLIENTS = {
  service_user: { secrets: 'service_user_secret', owner: 'account', key: 'user_id' },
  application: { secrets: 'application_secret', owner: 'application', key: 'application_id' },
} as const

/**
 * Makes `secret` the only client secret of a service user or an application. Another one is taken to be in wrong hands:
 * everything that was made for the client ends with it.
 */
export async function setClientSecret(
  tx: Queryable,
  { hasher }: CredentialWriting,
  { kind, id }: { readonly kind: keyof typeof CLIENTS; readonly id: string },
  secret: string,
): Promise<void> {
  const { secrets, owner, key } = CLIENTS[kind]
  const { rowCount } = await tx.query({
    name: `bootstrap.${secrets}.clear`, // <table>_owner
    text: `DELETE FROM directory.${secrets} WHERE ${key} = $1`,
    values: [id],
  })
  if (rowCount > 0) {
    await tx.query({
      name: `bootstrap.${owner}.raise_epoch`, // primary key
      text: `UPDATE directory.${owner} SET token_epoch = token_epoch + 1 WHERE ${key} = $1`,
      values: [id],
    })
  }
  await tx.query({
    name: `bootstrap.${secrets}.add`,
    text: `INSERT INTO directory.${secrets} (${key}, hash) VALUES ($1, $2)`,
    values: [id, await hashClientSecret(secret, hasher)],
  })
}

/** Stores the token of the file; for `null` makes one and writes it to the object's output file. */
export async function setPersonalAccessToken(
  tx: Queryable,
  { random, writeSecretFile }: CredentialWriting,
  object: PlacedObject,
  given: string | null,
): Promise<void> {
  const token = given ?? newPersonalAccessToken(random)
  await tx.query({
    name: 'bootstrap.personal_access_token.set', // primary key
    text: 'UPDATE directory.personal_access_token SET token_hash = $3 WHERE user_id = $1 AND token_id = $2',
    values: [ownerId(object), object.id, createHash('sha256').update(token).digest()],
  })
  const { outputFile } = object.desired
  if (given !== null || outputFile === undefined) return
  // Before the commit: a token that is stored but was never shown could not be had any more.
  await writeSecretFile(outputFile, `${token}\n`)
}
