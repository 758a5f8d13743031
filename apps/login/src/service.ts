import type { RpcService } from '@signet/grpc/service'
import type { Service } from '@signet/platform/process/service'
import { requireRestored } from '@signet/revocation-reader/require-restored'
import type { LoginDependencies } from './config.ts'
import { loginRpcServices } from './grpc.ts'
import { createLoginHttpApp } from './http.ts'
import { createLoginParts } from './parts.ts'

/** Composes and starts the login service. `stop` does not close the database and Redis of the caller. */
export async function startLogin(dependencies: LoginDependencies): Promise<Service<RpcService>> {
  const { database, redis } = dependencies
  // First, because the caller retries a failed start, which must leave nothing running.
  const generation = await requireRestored(database, redis)
  const parts = createLoginParts(dependencies, generation)
  return {
    name: 'login',
    http: createLoginHttpApp(parts),
    rpc: loginRpcServices(parts),
    /**
     * Stays ready without Redis: the service responds with a page of its own, which counts as failed. An unready pod
     * would count nothing.
     */
    async notReady() {
      try {
        await database.query({ name: 'login.ready', text: 'SELECT 1' })
        return []
      } catch {
        return ['postgres']
      }
    },
    stop: parts.stop,
  }
}
