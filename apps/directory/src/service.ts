import { availableParallelism } from 'node:os'
import { createPasswordHasher } from '@signet/password-hash/password-hasher'
import type { Database } from '@signet/postgres/pool'
import type { RpcService } from '@signet/rpc/service'
import type { Logger } from '@signet/service-runtime/logger'
import type { Service } from '@signet/service-runtime/service'
import type { RandomBytes } from '@signet/token-format/identifiers'
import { pruneChangeFeed } from './change-feed/prune-change-feed.ts'
import type { DirectoryConfig } from './config.ts'
import { verifyPassword } from './credentials/verify-password.ts'
import { startChangeFeedJob } from './jobs/change-feed.job.ts'
import { credentialService } from './rpc/credential-service.ts'
import { requireMasterKey } from './sealing/require-master-key.ts'
import { PostgresChangeFeedStore } from './stores/change-feed-store.ts'
import { PostgresCredentialStore } from './stores/credential-store.ts'
import { PostgresMasterKeyCheckStore } from './stores/master-key-check-store.ts'

interface DirectoryDependencies {
  readonly config: DirectoryConfig
  /** Connected as signet_directory; closed by whoever opened it. */
  readonly database: Database
  readonly logger: Logger
  readonly random: RandomBytes
}

/** Waiting longer than this for a password check, a person would have given up. */
const PASSWORD_QUEUE_LIMIT = 200

/** Starts the directory on a migrated database. Throws StartFailure when the master key is the wrong one. */
export async function startDirectory({
  config,
  database,
  logger,
  random,
}: DirectoryDependencies): Promise<Service<RpcService>> {
  await requireMasterKey(new PostgresMasterKeyCheckStore(database), config.masterKeys.reveal(), random)
  // One core stays for everything that is not hashing.
  const hasher = createPasswordHasher({
    concurrency: Math.max(1, availableParallelism() - 1),
    queueLimit: PASSWORD_QUEUE_LIMIT,
  })
  const stopPruning = startChangeFeedJob({
    prune: pruneChangeFeed(new PostgresChangeFeedStore(database)),
    logger,
  })
  return {
    name: 'directory',
    rpc: [
      credentialService({
        verifyPassword: verifyPassword({
          credentials: new PostgresCredentialStore(database),
          hasher,
          logger,
        }),
      }),
    ],
    async notReady() {
      try {
        await database.query({ name: 'directory.ready', text: 'SELECT 1' })
        return []
      } catch {
        return ['postgres']
      }
    },
    stop: stopPruning,
  }
}
