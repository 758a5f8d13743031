import { createTestDatabase } from '@signet/testkit/postgres-fixture'
import { createTestRedis } from '@signet/testkit/redis-fixture'

/** Databases of a suite of its own on the servers of this test run, as settings for its process. */
export async function suiteDatabases(): Promise<{
  readonly env: Readonly<Record<string, string>>
  drop(): Promise<void>
}> {
  const [postgres, redis] = await Promise.all([createTestDatabase({ migrations: [] }), createTestRedis()])
  return {
    env: { SIGNET_POSTGRES_URL: postgres.adminUrl.reveal(), SIGNET_REDIS_URL: redis.url.reveal() },
    async drop() {
      await Promise.all([postgres.drop(), redis.drop()])
    },
  }
}
