import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive, stopOrphan } from './orphaned-process.ts'

/** What PostgreSQL writes into `postmaster.pid`; a number that is not one and no status while there is no such file. */
export async function readPostmasterFile(
  cluster: string,
): Promise<{ readonly pid: number; readonly status: string }> {
  const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  return { pid: Number(lines[0]), status: lines[7]?.trim() ?? '' }
}

/**
 * Stops a server that an earlier, killed owner left on the cluster, and removes a `postmaster.pid` whose number
 * belongs to some other program by now: PostgreSQL would refuse to start because of it.
 */
export async function stopOrphanedPostgres(cluster: string): Promise<void> {
  const { pid } = await readPostmasterFile(cluster)
  await stopOrphan({ name: 'PostgreSQL', pid, marker: cluster, stopSignal: 'SIGINT' })
  // When nobody has the number PostgreSQL looks after the file itself, and checks for shared memory still in use.
  if (isAlive(pid)) await rm(join(cluster, 'postmaster.pid'), { force: true })
}
