import type { RpcTransport } from '@signet/grpc/client'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { Database } from '@signet/platform/postgres/pool'
import type { Clock } from '@signet/platform/runtime/clock'
import type { Tracing } from '@signet/platform/tracing/tracing'
import { newIdentifier, type RandomBytes } from '@signet/tokens/identifiers'
import type { MigrationConfig } from './config.ts'
import type { JobStore } from './runs/job-store.ts'
import { createStagedSealer, type StagedSealer } from './sealing/staged-sealer.ts'
import { type DispatchStore, PostgresDispatchStore } from './stores/dispatch-store.ts'
import { type DocumentStore, PostgresDocumentStore } from './stores/document-store.ts'
import { postgresJobStore } from './stores/job-store.ts'
import { PostgresStagedStore, type StagedStore } from './stores/staged-store.ts'

export interface MigrationDependencies {
  readonly config: MigrationConfig
  /** Connected as role `signet_migration`; the caller closes it. */
  readonly database: Database
  /** Authenticates bearers. */
  readonly token: RpcTransport
  /** The directory, where calls last as long as they need. */
  readonly transfer: RpcTransport
  readonly logger: Logger
  readonly metrics?: Metrics
  readonly tracing?: Tracing
  readonly now: Clock
  readonly random: RandomBytes
}

/** The stores of both roles. */
export interface MigrationStores {
  readonly jobs: JobStore
  readonly dispatches: DispatchStore
  readonly staged: StagedStore
  readonly documents: DocumentStore
  readonly sealer: StagedSealer
  /** By which the other processes know this one. */
  readonly workerId: string
}

/** The stores of one process. */
export function openStores({ config, database, now, random }: MigrationDependencies): MigrationStores {
  const { stallSeconds } = config
  const sealer = createStagedSealer(config.masterKeys.reveal(), random)
  return {
    jobs: postgresJobStore(database, stallSeconds),
    dispatches: new PostgresDispatchStore(database, config),
    staged: new PostgresStagedStore(database, stallSeconds),
    documents: new PostgresDocumentStore(database, sealer),
    sealer,
    workerId: newIdentifier(now(), random),
  }
}
