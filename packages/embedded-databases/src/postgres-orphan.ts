import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { StartFailure } from '@signet/service-runtime/start-failure'
import { runCommand } from './run-command.ts'

const STOP_DEADLINE_MS = 30_000
const POLL_MS = 50

/**
 * Stops a server that outlived the process which started it, and removes a `postmaster.pid` whose number now
 * belongs to some other program: PostgreSQL would refuse to start because of it. Call only while holding the
 * claim on the data directory, so that no living owner loses its server.
 */
export async function stopOrphanedPostgres(cluster: string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid')
  const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0])
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return
  if (!(await runsCluster(pid, cluster))) {
    await rm(pidFile, { force: true })
    return
  }
  process.kill(pid, 'SIGINT')
  // Asks for the command line, not only for the number: where nobody reaps orphans the number stays taken.
  for (let waitedMs = 0; isAlive(pid) && (await runsCluster(pid, cluster)); waitedMs += POLL_MS) {
    if (waitedMs > STOP_DEADLINE_MS) {
      throw new StartFailure(
        `an earlier PostgreSQL (process ${pid}) on ${cluster} does not stop; end it and start again`,
      )
    }
    await pause(POLL_MS)
  }
}

async function runsCluster(pid: number, cluster: string): Promise<boolean> {
  const { output } = await runCommand('ps', ['-o', 'args=', '-p', `${pid}`])
  if (output.includes(cluster)) return true
  // Systems without a full `ps` (busybox) still tell through /proc.
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return commandLine.includes(cluster)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
