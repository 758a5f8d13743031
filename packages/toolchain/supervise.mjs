// Starts child processes and sees to it that none outlives the command: whether it is stopped by Ctrl-C, by a
// signal to npm, to its process group or to this process, or because npm was killed.
//
// Every child gets a process group of its own, so what a terminal sends to the whole group reaches a child once,
// through this process. A child on a leash has an IPC channel to this process and stops when the channel closes
// (`process.on('disconnect')`); the kernel closes it too when this process is killed. Any other child gets SIGTERM.
import { spawn } from 'node:child_process'
import { watchAncestors } from './ancestors.mjs'
import { Problem } from './project.mjs'

/** Longer than the 25 seconds that a service takes at most to drain. */
const STOP_DEADLINE_MS = 30_000
/** @type {Readonly<Partial<Record<NodeJS.Signals, number>>>} */
const STOP_SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }

/** @type {Set<() => void>} */
const stops = new Set()
let stoppedBy = 0

/** Makes a stop of this command a stop of its children. Call once, before the first child. */
export function superviseChildren() {
  for (const [signal, number] of Object.entries(STOP_SIGNALS)) process.on(signal, () => stopAll(number))
  watchAncestors(() => stopAll(15), process.env)
}

/** 128 + the number of the signal that stopped this command, undefined while nothing did. */
export function stopExitCode() {
  return stoppedBy === 0 ? undefined : 128 + stoppedBy
}

/** @param {number} signalNumber */
function stopAll(signalNumber) {
  if (stoppedBy !== 0) return
  stoppedBy = signalNumber
  for (const stop of stops) stop()
}

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]
 * @property {boolean} [leash] Stop by closing an IPC channel instead of by SIGTERM.
 * @property {AbortSignal} [kill] Ends the program at once when it aborts.
 * @property {'inherit' | 'stderr' | 'capture'} [output] Where standard output goes; captured output includes standard error.
 */

/**
 * Runs a program to its end.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(command, args, { cwd, env = process.env, leash = false, kill, output = 'stderr' } = {}) {
  if (stoppedBy !== 0) throw new Problem('stopped')
  const capture = output === 'capture'
  const standardOutput = capture ? 'pipe' : output === 'inherit' ? 'inherit' : process.stderr
  const child = spawn(command, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env,
    detached: true,
    stdio: [
      'ignore',
      standardOutput,
      capture ? 'pipe' : 'inherit',
      ...(leash ? [/** @type {const} */ ('ipc')] : []),
    ],
  })
  let captured = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (captured += chunk))

  const stop = () => {
    if (leash && child.connected) child.disconnect()
    else killGroup(child.pid, 'SIGTERM')
    setTimeout(() => killGroup(child.pid, 'SIGKILL'), STOP_DEADLINE_MS).unref()
  }
  stops.add(stop)
  kill?.addEventListener('abort', () => killGroup(child.pid, 'SIGKILL'))
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      stops.delete(stop)
      reject(new Problem(`${command} cannot be run: ${error.message}`))
    })
    const ended = (/** @type {number | null} */ code, /** @type {NodeJS.Signals | null} */ signal) => {
      stops.delete(stop)
      // What a child of the child left behind would outlive the command.
      killGroup(child.pid, 'SIGKILL')
      resolve({ code: code ?? (signal === null ? 1 : 128 + (STOP_SIGNALS[signal] ?? 9)), output: captured })
    }
    // Of a leash that was cut on this side `close` never tells; captured output is complete only with it.
    if (capture) child.once('close', ended)
    else child.once('exit', ended)
  })
}

/**
 * Runs a program that has to succeed; shows its output only when it does not.
 * @param {string} purpose For the message: "… failed".
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 */
export async function runQuietly(purpose, command, args, options) {
  const { code, output } = await run(command, args, { ...options, output: 'capture' })
  if (code !== 0) throw new Problem(`${purpose} failed (${command} ${args.join(' ')}):\n${output.trim()}`)
  return output
}

/**
 * Whether a program is there and ends well; what it says is not shown.
 * @param {string} command
 * @param {readonly string[]} args
 */
export async function succeeds(command, args) {
  const { code } = await run(command, args, { output: 'capture' }).catch(() => ({ code: 1 }))
  return code === 0
}

/** @param {number | undefined} pid @param {NodeJS.Signals} signal */
function killGroup(pid, signal) {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // The group has ended by itself.
  }
}
