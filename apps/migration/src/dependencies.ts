import type { RpcTransport } from '@signet/grpc/client'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { Database } from '@signet/platform/postgres/pool'
import type { Clock } from '@signet/platform/runtime/clock'
import type { Tracing } from '@signet/platform/tracing/tracing'
import { newIdentifier, type RandomBytes } from '@signet/tokens/identifiers'
import type { MigrationConfig } from './config.ts'
import {
  createRejectedBatchRepository,
  type RejectedBatchRepository,
} from './import/rejected-batch.repository.ts'
import { PostgresStagedBatchRepository } from './import/staged-batch.repository.ts'
import { DispatchRepository } from './jobs/dispatch.repository.ts'
import { DocumentRepository } from './jobs/document.repository.ts'
import { createJobRepository } from './jobs/job.repository.ts'
import type { JobRepository } from './jobs/job.ts'
import { LeftOutListRepository } from './jobs/left-out-list.repository.ts'
import type { StagedBatchRepository } from './jobs/staged-batch.ts'
import { createStagedSealer, type StagedSealer } from './sealing.ts'

export interface MigrationDependencies {
  readonly config: MigrationConfig
  /** Connected as role `signet_migration`; the caller closes it. */
  readonly database: Database
  /** Authenticates bearers. */
  readonly token: RpcTransport
  /** Signs the manifests of archives. */
  readonly keys: RpcTransport
  /** The directory, where calls last as long as they need. */
  readonly transfer: RpcTransport
  readonly logger: Logger
  readonly metrics?: Metrics
  readonly tracing?: Tracing
  readonly now: Clock
  readonly random: RandomBytes
}

/** The repositories of both roles. */
export interface MigrationRepositories {
  readonly jobs: JobRepository
  readonly dispatches: DispatchRepository
  readonly staged: StagedBatchRepository
  readonly rejected: RejectedBatchRepository
  readonly leftOut: LeftOutListRepository
  readonly documents: DocumentRepository
  readonly sealer: StagedSealer
  /** The id of this process in claims and heartbeats. */
  readonly workerId: string
}

/** Creates the repositories of one process. */
export function createRepositories({
  config,
  database,
  now,
  random,
}: MigrationDependencies): MigrationRepositories {
  const { stallSeconds } = config
  const sealer = createStagedSealer(config.masterKeys.reveal(), random)
  return {
    jobs: createJobRepository(database, stallSeconds),
    dispatches: new DispatchRepository(database, config),
    staged: new PostgresStagedBatchRepository(database, stallSeconds),
    rejected: createRejectedBatchRepository(database),
    leftOut: new LeftOutListRepository(database, sealer),
    documents: new DocumentRepository(database, sealer),
    sealer,
    workerId: newIdentifier(now(), random),
  }
}
