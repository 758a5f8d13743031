import { existsSync, readFileSync } from 'node:fs'
import { createPool } from '@signet/platform/postgres/pool'
import { Redis } from 'ioredis'
import type { Stage } from '../stage/stage.ts'

// USER_HZ, which Linux has fixed for programs however the kernel counts.
const TICKS_PER_SECOND = 100

/** Counts from now on: answers the seconds of CPU that processes have used since, threads included; NaN without /proc. */
export function startCpuCount(pids: readonly number[]): () => number {
  if (process.platform !== 'linux') return () => Number.NaN
  const before = pids.map((pid) => ({ pid, seconds: cpuSeconds(pid) ?? 0 }))
  // One that has ended meanwhile, as connections to PostgreSQL do, counts for nothing.
  return () => before.reduce((sum, { pid, seconds }) => sum + ((cpuSeconds(pid) ?? seconds) - seconds), 0)
}

function cpuSeconds(pid: number): number | undefined {
  const text = readProc(pid, 'stat')
  if (text === undefined) return undefined
  // The name in parentheses may hold blanks; utime and stime are the 12th and 13th field after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Resident bytes of processes together, now or at their most; NaN where there is no /proc. */
export function residentBytesOf(pids: readonly number[], line: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  return pids.reduce((sum, pid) => {
    const kibibytes = new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(readProc(pid, 'status') ?? '')?.[1]
    return sum + Number(kibibytes ?? Number.NaN) * 1024
  }, 0)
}

function readProc(pid: number, file: string): string | undefined {
  const path = `/proc/${pid}/${file}`
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

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
