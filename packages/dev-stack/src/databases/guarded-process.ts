import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FileHandle, open } from 'node:fs/promises'
import type { Socket } from 'node:net'

export interface RunAs {
  readonly uid: number
  readonly gid: number
}

export interface GuardedCommand {
  readonly command: string
  readonly args: readonly string[]
  /** Asks the program to stop in its quickest orderly way. */
  readonly stopSignal: 'SIGINT' | 'SIGTERM'
  /** Receives standard output and error, emptied at each start. */
  readonly logFile: string
  readonly workingDirectory?: string
  readonly runAs?: RunAs
  readonly env?: Readonly<Record<string, string>>
}

export interface GuardedProcess {
  readonly pid: number
  /** False once the program has ended, for any reason. */
  running(): boolean
  /** Resolves when the program has ended, for any reason. */
  readonly ended: Promise<void>
  /** Ends the program and returns when it is gone; after 30 seconds without success it is killed. */
  stop(): Promise<void>
}

const STOP_DEADLINE_MS = 30_000

// Reads until the writing end closes, which the kernel does however this process dies, kill -9 included.
const GUARDIAN_SCRIPT = 'read -r _; kill -s "$2" "$1"'

/**
 * Starts a program in a session of its own, where a Ctrl-C of the terminal does not reach it, next to a
 * guardian that stops the program as soon as this process is gone. Neither keeps this process alive.
 */
export async function spawnGuarded(options: GuardedCommand): Promise<GuardedProcess> {
  const log = await open(options.logFile, 'w', 0o600)
  const child = spawnLogged(options, log)
  try {
    await once(child, 'spawn')
  } finally {
    await log.close()
  }
  const pid = child.pid
  if (pid === undefined) throw new Error(`${options.command} started without a process id`)
  const guardian = spawnGuardian(pid, options.stopSignal)
  const exited = once(child, 'exit').then(async () => {
    if (guardian.exitCode !== null || guardian.signalCode !== null) return
    const released = once(guardian, 'exit')
    guardian.ref()
    guardian.kill('SIGKILL')
    await released
  })
  const running = (): boolean => child.exitCode === null && child.signalCode === null
  return {
    pid,
    running,
    ended: exited,
    stop: async () => {
      if (!running()) return
      child.ref()
      child.kill(options.stopSignal)
      const deadline = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS)
      await exited
      clearTimeout(deadline)
    },
  }
}

function spawnLogged(options: GuardedCommand, log: FileHandle): ChildProcess {
  const child = spawn(options.command, options.args, {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    ...(options.workingDirectory === undefined ? {} : { cwd: options.workingDirectory }),
    ...(options.env === undefined ? {} : { env: options.env }),
    ...options.runAs,
  })
  child.unref()
  return child
}

function spawnGuardian(pid: number, signal: string): ChildProcess {
  const guardian = spawn('/bin/sh', ['-c', GUARDIAN_SCRIPT, 'sh', `${pid}`, signal.replace('SIG', '')], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guardian.unref()
  // The pipe is a socket; held open by this process, but no reason for it to stay.
  const pipe = guardian.stdin as unknown as Socket
  pipe.unref()
  pipe.on('error', () => {})
  return guardian
}
