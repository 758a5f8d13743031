// The keys of every ring in PostgreSQL, with the audit events of their changes.

import { type AuditEvent, createAuditTable } from '@signet/admin-api/audit/audit-table'
import { ADVISORY_LOCKS } from '@signet/platform/postgres/advisory-locks'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '@signet/protocol/signing-algorithms'
import type { InstanceFeatures } from './instance-features.ts'
import type { KeyLife } from './key-life.ts'
import type { PublicJwk } from './key-material.ts'

/** A stored key: its times, its public key unsealed, and its sealed secret until the key is removed. */
export interface StoredKey extends KeyLife {
  readonly publicJwk: PublicJwk | undefined
  readonly sealedSecret: string | undefined
}

interface KeySnapshot {
  /** Rises with every change of any key. */
  readonly revision: number
  readonly keys: readonly StoredKey[]
}

/** Changes in this order, so that a key ring never has two active keys of one algorithm. */
export interface KeyChanges {
  readonly forget: readonly string[]
  readonly change: readonly KeyLife[]
  readonly create: readonly StoredKey[]
  /** Written in the transaction of the changes. */
  readonly events: readonly AuditEvent[]
}

export interface ResealedSecret {
  readonly kid: string
  readonly sealedSecret: string
}

/** The state of the keys that a replica polls. */
export interface PolledState extends InstanceFeatures {
  readonly revision: number
  /** Revoked keys whose publication by the token service is not confirmed. */
  readonly unpublished: readonly string[]
  /** The signing algorithms that the instance names, in the order of `SIGNING_ALGORITHMS`. */
  readonly signingAlgorithms: readonly SigningAlgorithm[]
}

export class KeyStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async poll(): Promise<PolledState> {
    const { rows } = await this.#database.query<PolledState>({
      name: 'ring_revision.read', // one row, all of about sixty rows, one row of three names, one row, and application_device_grant
      text: `SELECT revision, ARRAY(SELECT kid FROM keys.ring_key
                                     WHERE revoked_at IS NOT NULL AND revocation_published_at IS NULL) AS unpublished,
                    ARRAY(SELECT algorithm FROM directory_read.signing_algorithm_v1
                           ORDER BY array_position($1::text[], algorithm)) AS "signingAlgorithms",
                    s.require_pushed_authorization AS "requirePushedAuthorization", s.has_device_grant AS "hasDeviceGrant",
                    s.issues_identity_assertions AS "issuesIdentityAssertions",
                    s.takes_identity_assertions AS "takesIdentityAssertions"
               FROM keys.ring_revision LEFT JOIN directory_read.setting_v1 s ON true`,
      values: [SIGNING_ALGORITHMS],
    })
    const [row] = rows
    // Without this an empty view would retire every signing key.
    if (!row?.signingAlgorithms.includes('RS256'))
      throw new Error('directory_read.signing_algorithm_v1 lacks RS256; are the migrations applied?')
    return row
  }

  read(): Promise<KeySnapshot> {
    return readSnapshot(this.#database)
  }

  /** Keys that the token service has published as revoked and that are not revoked here. */
  async revokedElsewhere(): Promise<readonly string[]> {
    const { rows } = await this.#database.query<{ kid: string }>({
      // all of about sixty rows; the primary key of grants.revoked_key
      name: 'ring_key.revoked_elsewhere',
      text: `SELECT k.kid FROM keys.ring_key k
              WHERE k.revoked_at IS NULL
                AND EXISTS (SELECT FROM grants_read.revocation_v1 r WHERE r.kind = 'k' AND r.id = k.kid)`,
    })
    return rows.map(({ kid }) => kid)
  }

  /**
   * Runs `decide` on the current keys under the rotation lock and writes the changes that it returns, in one transaction.
   * One call of any replica holds the lock at a time; the others wait for it with `wait`, else return at once.
   */
  withRotationLock(
    decide: (keys: readonly StoredKey[]) => Promise<KeyChanges>,
    { wait }: { readonly wait: boolean },
  ): Promise<'written' | 'locked_by_other_replica'> {
    return this.#database.transaction(async (tx) => {
      if (!(await takeRotationLock(tx, wait))) return 'locked_by_other_replica'
      const { keys, revision } = await readSnapshot(tx)
      await writeKeyChanges(tx, await decide(keys), revision)
      return 'written'
    })
  }

  /** Replaces sealed secrets under the rotation lock, in one transaction; does not change the keys. */
  reseal(
    decide: (keys: readonly StoredKey[]) => Promise<readonly ResealedSecret[]>,
    event: (count: number) => AuditEvent,
  ): Promise<void> {
    return this.#database.transaction(async (tx) => {
      await takeRotationLock(tx, true)
      const resealed = await decide((await readSnapshot(tx)).keys)
      for (const { kid, sealedSecret } of resealed) {
        await tx.query({
          name: 'ring_key.reseal', // primary key
          text: 'UPDATE keys.ring_key SET sealed_secret = $2 WHERE kid = $1',
          values: [kid, sealedSecret],
        })
      }
      await auditTable.record(tx, event(resealed.length))
    })
  }

  /** Stores that the token service has published the revocation of these keys. */
  async markPublished(kids: readonly string[]): Promise<void> {
    await this.#database.query({
      name: 'ring_key.mark_published', // primary key
      text: 'UPDATE keys.ring_key SET revocation_published_at = now() WHERE kid = ANY($1)',
      values: [kids],
    })
  }
}

async function takeRotationLock(tx: Queryable, wait: boolean): Promise<boolean> {
  if (wait) {
    await tx.query({
      name: 'ring_key.wait_lead',
      text: 'SELECT pg_advisory_xact_lock($1)',
      values: [ADVISORY_LOCKS.rotateKeys],
    })
    return true
  }
  const { rows } = await tx.query<{ locked: boolean }>({
    name: 'ring_key.try_lead',
    text: 'SELECT pg_try_advisory_xact_lock($1) AS locked',
    values: [ADVISORY_LOCKS.rotateKeys],
  })
  return rows[0]?.locked === true
}

interface KeyRow {
  readonly kid: string
  readonly ring: StoredKey['ring']
  readonly algorithm: StoredKey['algorithm']
  readonly state: StoredKey['state']
  readonly announced_at: Date
  readonly active_at: Date
  readonly retire_at: Date
  readonly remove_at: Date
  readonly forget_at: Date
  readonly revoked_at: Date | null
  readonly public_jwk: StoredKey['publicJwk'] | null
  readonly sealed_secret: string | null
}

/** Reads the revision and the keys in one statement, so that both are of one snapshot. */
async function readSnapshot(from: Queryable): Promise<KeySnapshot> {
  const { rows } = await from.query<{ revision: number } & (KeyRow | { readonly kid: null })>({
    name: 'ring_key.read_all', // all of about sixty rows
    text: `SELECT revision, kid, ring, algorithm, state, announced_at, active_at, retire_at, remove_at, forget_at,
                  revoked_at, public_jwk, sealed_secret
             FROM keys.ring_revision LEFT JOIN keys.ring_key ON true`,
  })
  const keys = rows.flatMap((row) => (row.kid === null ? [] : [storedKey(row)]))
  return { revision: rows[0]?.revision ?? 0, keys }
}

function storedKey(row: KeyRow): StoredKey {
  return {
    kid: row.kid,
    ring: row.ring,
    algorithm: row.algorithm,
    state: row.state,
    announcedAt: row.announced_at,
    activeAt: row.active_at,
    retireAt: row.retire_at,
    removeAt: row.remove_at,
    forgetAt: row.forget_at,
    ...(row.revoked_at !== null && { revokedAt: row.revoked_at }),
    publicJwk: row.public_jwk ?? undefined,
    sealedSecret: row.sealed_secret ?? undefined,
  }
}

/** Writes changes to the keys of `revision`, and raises it. */
async function writeKeyChanges(
  tx: Queryable,
  { forget, change, create, events }: KeyChanges,
  revision: number,
): Promise<void> {
  await auditTable.record(tx, ...events)
  if (create.length + change.length + forget.length === 0) return
  await tx.query({
    name: 'ring_key.forget', // primary key
    text: 'DELETE FROM keys.ring_key WHERE kid = ANY($1)',
    values: [forget],
  })
  for (const key of change) {
    await tx.query({
      name: 'ring_key.change', // primary key
      text: `UPDATE keys.ring_key
                SET state = $2, active_at = $3, retire_at = $4, remove_at = $5, forget_at = $6, revoked_at = $7,
                    sealed_secret = CASE WHEN $2 IN ('removed', 'verify-only') THEN NULL ELSE sealed_secret END
              WHERE kid = $1`,
      values: [
        ...[key.kid, key.state, key.activeAt, key.retireAt, key.removeAt, key.forgetAt],
        key.revokedAt ?? null,
      ],
    })
  }
  for (const key of create) {
    await tx.query({
      name: 'ring_key.create',
      text: `INSERT INTO keys.ring_key (kid, ring, algorithm, state, announced_at, active_at, retire_at, remove_at,
                                        forget_at, public_jwk, sealed_secret)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      values: [
        ...[key.kid, key.ring, key.algorithm, key.state, key.announcedAt, key.activeAt, key.retireAt],
        ...[key.removeAt, key.forgetAt, key.publicJwk ?? null, key.sealedSecret ?? null],
      ],
    })
  }
  const { rowCount } = await tx.query({
    name: 'ring_revision.raise', // one row
    text: 'UPDATE keys.ring_revision SET revision = revision + 1 WHERE revision = $1',
    values: [revision],
  })
  // The lock excludes this. Without the lock, two replicas would each create keys that the other one replaces.
  if (rowCount !== 1) throw new Error('the keys were changed by another replica')
}

/** The audit log of this service, in the schema that it owns. */
export const auditTable = createAuditTable('keys')
