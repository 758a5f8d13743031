import type { Queryable } from '@signet/platform/postgres/pool'
import type { KeyChanges } from '../rotation/key-storage.ts'
import { trail } from './audit-trail.ts'

/** Writes changes to the keys of `revision`, and raises it. */
export async function writeKeyChanges(
  tx: Queryable,
  { forget, change, create, events }: KeyChanges,
  revision: number,
): Promise<void> {
  await trail.record(tx, ...events)
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
  // The lock makes this impossible; if it ever failed, two leaders would each make keys that the other one replaces.
  if (rowCount !== 1) throw new Error('the keys were changed by another leader')
}
