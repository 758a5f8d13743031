import type { RpcService } from '@signet/grpc/service'
import { warnUnlessDurable } from '@signet/platform/postgres/availability'
import type { Service } from '@signet/platform/process/service'
import { createTokenHttpApp } from './http-app.ts'
import { planStart } from './partitions/partition-plan.ts'
import { startRecovery } from './recovery.ts'
import { tokenRpcServices } from './rpc-services.ts'
import { trail } from './stores/audit-trail.ts'
import { readLogKey } from './stores/endings-log.ts'
import { openGeneration } from './stores/generation.ts'
import { PostgresPartitionStore } from './stores/postgres-partition-store.ts'
import type { TokenOptions } from './token-options.ts'
import { createTokenParts } from './token-parts.ts'
import { startUpkeep } from './upkeep.ts'

/** Composes and starts the token service. */
export async function startToken(options: TokenOptions): Promise<Service<RpcService>> {
  // First of all: a start that fails here is tried again and must have left nothing running.
  const partitions = new PostgresPartitionStore(options.database)
  await partitions.create(planStart(options.now()))
  await trail.createPartitions(options.database, options.now())
  await warnUnlessDurable(options.database, options.logger)
  const generation = await openGeneration(options.database)
  const logKey = await readLogKey(options.database)
  const recovery = options.config.revocationLog ? await startRecovery(options, generation, logKey) : undefined
  const parts = createTokenParts(options, { generation, logKey, otherHistory: () => recovery?.request() })
  const stopUpkeep = startUpkeep(parts, { ...options, partitions })
  return {
    name: 'token',
    http: createTokenHttpApp(parts, options),
    rpc: tokenRpcServices(parts),
    async notReady() {
      return [...(parts.isReady() ? [] : ['keys']), ...(recovery?.isRefused() ? ['restored database'] : [])]
    },
    async stop() {
      await Promise.all([stopUpkeep(), recovery?.stop()])
      await parts.stop()
    },
  }
}
