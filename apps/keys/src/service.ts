import { createHttpApp } from '@signet/http-server/app'
import { oauthErrorHandler } from '@signet/http-server/oauth-error-handler'
import type { Database } from '@signet/postgres/pool'
import type { RpcService } from '@signet/rpc/service'
import type { Clock } from '@signet/service-runtime/clock'
import type { Logger } from '@signet/service-runtime/logger'
import type { Service } from '@signet/service-runtime/service'
import { StartFailure } from '@signet/service-runtime/start-failure'
import type { KeysConfig } from './config.ts'
import { discoveryRoute } from './http/discovery-route.ts'
import { keySetRoute } from './http/key-set-route.ts'
import { startRotationTimer } from './jobs/rotation-timer.ts'
import { KeyRings, type KeyRingsOptions } from './rotation/key-rings.ts'
import { ROTATION_POLICY } from './rotation/rotation-policy.ts'
import { keyService } from './rpc/key-service.ts'
import { masterKeySealer } from './sealing/master-key-sealer.ts'
import { UnknownMasterKeyError } from './sealing/secret-sealer.ts'
import { PostgresKeyStore } from './stores/key-store.ts'

export interface KeysOptions {
  readonly config: KeysConfig
  /** As the role signet_keys; closed by whoever opened it. */
  readonly database: Database
  readonly logger: Logger
  readonly now: Clock
  /** How often each replica looks for changes and for what is due. */
  readonly tickIntervalMs?: number
  readonly heartbeatMs?: number
}

/**
 * Starts the service with keys in every ring, making the first ones if there are none. Throws StartFailure for a
 * master key that does not open what is stored and for a database that cannot be used.
 */
export async function startKeys(options: KeysOptions): Promise<Service<RpcService>> {
  const { config, database, logger, now, tickIntervalMs = 1_000, heartbeatMs = 10_000 } = options
  const rings = await openRings({
    store: new PostgresKeyStore(database),
    sealer: masterKeySealer(config.masterKeys.reveal()),
    policy: ROTATION_POLICY,
    now,
  })
  const stopping = new AbortController()
  const timer = startRotationTimer({ tick: () => rings.tick(), intervalMs: tickIntervalMs, logger })
  return {
    name: 'keys',
    http: createHttpApp({
      logger,
      trustedProxies: config.trustedProxies,
      routes: [discoveryRoute(config.issuer), keySetRoute({ rings, now })],
      errorHandler: oauthErrorHandler(logger),
    }),
    rpc: [keyService({ rings, stopping: stopping.signal, heartbeatMs })],
    // What is in memory outlives the database, so nothing takes a started replica out of service.
    notReady: async () => [],
    async stop() {
      stopping.abort()
      await timer.stop()
    },
  }
}

async function openRings(options: KeyRingsOptions): Promise<KeyRings> {
  try {
    return await KeyRings.open(options)
  } catch (error) {
    if (error instanceof UnknownMasterKeyError) {
      throw new StartFailure(
        `SIGNET_KEYS_MASTER_KEY: stored keys are sealed under the master key ${error.fingerprint}, which is not in the list; add it after the newest one`,
      )
    }
    // node-postgres reports a refused connection by its code, without a text, when a host has several addresses.
    const { code, message } = error as NodeJS.ErrnoException
    throw new StartFailure(`PostgreSQL cannot give the keys: ${message || code}; check SIGNET_POSTGRES_URL`, {
      cause: error,
    })
  }
}
