import type { RpcService } from '@signet/grpc/service'
import type { PasswordHasher } from '@signet/password-hash/password-hasher'
import type { Database } from '@signet/platform/postgres/pool'
import type { RandomBytes } from '@signet/tokens/identifiers'
import { postgresAppliedBatches } from './stores/transfer-batch-store.ts'
import { postgresExportSource } from './stores/transfer-export-store.ts'
import { transferWriters } from './stores/transfer-writers.ts'
import { applyBatch } from './transfer/apply-batch.ts'
import { exportOrganizations } from './transfer/export-organizations.ts'
import { withHashedPasswords } from './transfer/hash-passwords.ts'
import { transferService } from './transfer/transfer.grpc.ts'

interface TransferDependencies {
  readonly database: Database
  /** Newest first: the first one seals, all of them open. */
  readonly masterKeys: readonly Buffer[]
  readonly random: RandomBytes
  readonly hasher: PasswordHasher
}

/** Composes what moves organizations in and out. */
export function transferServices({
  database,
  masterKeys,
  random,
  hasher,
}: TransferDependencies): readonly RpcService[] {
  return [
    transferService({
      applyBatch: applyBatch({
        hashPasswords: (users, complexity) => withHashedPasswords(users, complexity, hasher),
        database,
        batches: postgresAppliedBatches,
        writers: transferWriters({ masterKeys, random }),
      }),
      exportOrganizations: exportOrganizations(postgresExportSource(database, masterKeys)),
    }),
  ]
}
