import type { Queryable } from '@signet/postgres/pool'
import type { LookUp } from './look-up.ts'
import { idOf, kindOf } from './mirror-keys.ts'

/** Reads the truth about revocations from the published views. */
export interface RevocationStore {
  /** Whether any of the entries was ended by a committed revocation. */
  anyEnded(lookUp: LookUp): Promise<boolean>
}

export function createRevocationStore(database: Queryable): RevocationStore {
  return {
    async anyEnded(lookUp) {
      const entries = lookUp.entries()
      const { rows } = await database.query<{ ended: boolean }>({
        // revocation (kind, id) in each of the few daily partitions; primary keys of the directory's tables
        name: 'revocation.any_ended',
        text: `SELECT EXISTS (
                 SELECT 1 FROM unnest($1::text[], $2::text[], $3::bigint[]) AS mark (kind, id, epoch)
                 WHERE EXISTS (SELECT 1 FROM grants_read.revocation_v1 r
                                WHERE r.kind = mark.kind AND r.id = mark.id AND (mark.epoch IS NULL OR mark.epoch < r.value))
                    OR (mark.kind = 'u' AND NOT EXISTS (SELECT 1 FROM directory_read.account_claims_v1 a
                                WHERE a.user_id = mark.id AND a.token_epoch <= mark.epoch))
                    OR (mark.kind = 'c' AND NOT EXISTS (SELECT 1 FROM directory_read.client_v1 c
                                WHERE c.client_id = mark.id AND c.token_epoch <= mark.epoch))
                    OR (mark.kind = 'o' AND NOT EXISTS (SELECT 1 FROM directory_read.organization_v1 o
                                WHERE o.organization_id = mark.id AND o.token_epoch <= mark.epoch))
               ) AS ended`,
        values: [entries.map(kindOf), entries.map(idOf), entries.map((_, n) => lookUp.epoch(n) ?? null)],
      })
      // No row would mean that nothing was checked; that must never read as "alive".
      return rows[0]?.ended ?? true
    },
  }
}
