import { createPool } from '@signet/platform/postgres/pool'
import { Redis } from 'ioredis'
import type { Stage } from './stage.ts'

/** The processes of the servers that Signet stands on. */
export interface ServerProcesses {
  readonly redis: readonly number[]
  /** The connections that are open at the moment, and what PostgreSQL does in the background. */
  readonly postgres: readonly number[]
}

export async function serverProcesses({ signet }: Stage): Promise<ServerProcesses> {
  const { redisUrl, postgresAdminUrl } = signet.databases
  const redis = new Redis(redisUrl.reveal())
  const database = createPool({ url: postgresAdminUrl, applicationName: 'bench', max: 1 })
  try {
    const info = await redis.info('server')
    const { rows } = await database.query<{ pid: number }>({
      name: 'bench.backends',
      text: 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()',
    })
    return {
      redis: [Number(/^process_id:(\d+)/m.exec(info)?.[1])],
      postgres: rows.map(({ pid }) => pid),
    }
  } finally {
    redis.disconnect()
    await database.close()
  }
}
