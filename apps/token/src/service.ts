import type { RpcService } from '@signet/grpc/service'
import { warnUnlessDurable } from '@signet/platform/postgres/availability'
import type { Service } from '@signet/platform/process/service'
import { auditTable } from './audit-events.ts'
import { startBackgroundJobs, startRecovery } from './background-jobs.ts'
import type { TokenOptions } from './config.ts'
import { createTokenParts } from './dependencies.ts'
import { tokenRpcServices } from './grpc.ts'
import { createTokenHttpApp } from './http.ts'
import { PartitionStore } from './partitions/partition.repository.ts'
import { planStart } from './partitions/partition-plan.ts'
import { openGeneration } from './revocation/recovery.repository.ts'
import { readLogKey } from './revocation/revocation-log-writer.ts'

/** Composes and starts the token service. */
export async function startToken(options: TokenOptions): Promise<Service<RpcService>> {
  // First of all: a start that fails here is tried again and must have left nothing running.
  const partitions = new PartitionStore(options.database)
  await partitions.create(planStart(options.now()))
  await auditTable.createPartitions(options.database, options.now())
  await warnUnlessDurable(options.database, options.logger)
  const generation = await openGeneration(options.database)
  const logKey = await readLogKey(options.database)
  const recovery = options.config.revocationLog ? await startRecovery(options, generation, logKey) : undefined
  const parts = createTokenParts(options, { generation, logKey, otherHistory: () => recovery?.request() })
  const stopBackgroundJobs = startBackgroundJobs(parts, { ...options, partitions })
  return {
    name: 'token',
    http: createTokenHttpApp(parts, options),
    rpc: tokenRpcServices(parts),
    async notReady() {
      return [...(parts.isReady() ? [] : ['keys']), ...(recovery?.isRefused() ? ['restored database'] : [])]
    },
    async stop() {
      await Promise.all([stopBackgroundJobs(), recovery?.stop()])
      await parts.stop()
    },
  }
}
