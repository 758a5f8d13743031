import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { StartFailure } from '@signet/platform/process/service'
import { runCommand } from './run-command.ts'

export interface OrphanedProcess {
  /** Names the program in a message. */
  readonly name: string
  /** Number in the PID file; no process unless it is positive. */
  readonly pid: number
  /** Part of its command line that no other process has; the number alone may belong to a stranger by now. */
  readonly marker: string
  readonly stopSignal: 'SIGINT' | 'SIGTERM'
}

const STOP_DEADLINE_MS = 30_000
const POLL_MS = 50

/**
 * Stops a server that outlived the process which started it. Call only while holding the claim on its data
 * directory, so that no living owner loses its server. Throws StartFailure when it does not stop.
 */
export async function stopOrphan({ name, pid, marker, stopSignal }: OrphanedProcess): Promise<void> {
  // Compares the command line each time: without a reaper the PID of a zombie stays taken.
  for (let waitedMs = 0; await runs(pid, marker); waitedMs += POLL_MS) {
    if (waitedMs === 0) signal(pid, stopSignal)
    if (waitedMs > STOP_DEADLINE_MS) {
      throw new StartFailure(
        `an earlier ${name} (process ${pid}) with the same data does not stop; end it and start again`,
      )
    }
    await pause(POLL_MS)
  }
}

/** The process may have ended since the last check. */
function signal(pid: number, stopSignal: OrphanedProcess['stopSignal']): void {
  try {
    process.kill(pid, stopSignal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Whether a process of any user has this number. */
function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function runs(pid: number, marker: string): Promise<boolean> {
  if (!isAlive(pid)) return false
  const { output } = await runCommand('ps', ['-o', 'args=', '-p', `${pid}`])
  if (output.includes(marker)) return true
  // Systems without a full `ps` (busybox) still tell through /proc.
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return commandLine.includes(marker)
}

/** The process id and status in `postmaster.pid`; NaN and an empty status while there is no such file. */
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
  // Without such a process PostgreSQL removes the file itself, and checks for shared memory still in use.
  if (isAlive(pid)) await rm(join(cluster, 'postmaster.pid'), { force: true })
}
