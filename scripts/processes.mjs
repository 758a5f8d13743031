// @ts-check
// Runs child processes; none outlives the command, however the command ends.
import { spawn } from 'node:child_process'

/** A problem that the user can fix: printed as one line without a stack, exit code 1. */
export class Problem extends Error {}

/**
 * Prints progress to standard error; standard output belongs to the program that the command runs.
 * @param {string} text
 */
export function say(text) {
  process.stderr.write(`signet: ${text}\n`)
}

/** Longer than the 25 seconds that a service takes at most to drain. */
const STOP_DEADLINE_MS = 30_000
const PARENT_POLL_MS = 200
/** @type {Record<string, number>} */
const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }

/** @type {Set<() => void>} */
const stops = new Set()
let stoppedBy = 0

/** Stops the children when this process gets a signal, when its IPC channel closes, or when npm, its parent, has ended. */
export function stopChildrenWithThisProcess(env = process.env) {
  for (const [signal, number] of Object.entries(SIGNAL_NUMBERS)) process.on(signal, () => stopAll(number))
  process.on('disconnect', () => stopAll())
  process.channel?.unref()
  const parent = process.ppid
  // Without npm the parent is a shell or terminal, which may end before the command.
  if (!env.npm_lifecycle_event) return
  setInterval(() => process.ppid !== parent && stopAll(SIGNAL_NUMBERS.SIGTERM), PARENT_POLL_MS).unref()
}

/** 128 + the number of the signal that stopped this command, else undefined. */
export function stopExitCode() {
  return stoppedBy === 0 ? undefined : 128 + stoppedBy
}

/** @param {number} signalNumber */
function stopAll(signalNumber = 15) {
  if (stoppedBy !== 0) return
  stoppedBy = signalNumber
  for (const stop of stops) stop()
}

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]
 * @property {'inherit' | 'stderr' | 'capture'} [output] Where standard output goes; captured output includes standard error.
 * @property {boolean} [terminal] The child reads standard input, and the terminal sends its signals to the child itself.
 * @property {boolean} [afterStop] The child runs although this command was stopped: it takes away what the command made.
 * @property {boolean} [ipc] The child stops when its IPC channel closes, which the kernel does too when this process is killed.
 */

/**
 * Runs a program to its end, in a process group of its own: a Ctrl-C of the terminal reaches it once, through this process.
 * With `terminal` it stays in the group of this process, which may read the terminal.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(
  command,
  args,
  { cwd, env = process.env, output = 'stderr', ipc = false, terminal = false, afterStop = false } = {},
) {
  if (stoppedBy !== 0 && !afterStop) return Promise.reject(new Problem('stopped'))
  const capture = output === 'capture'
  const stdout = capture ? 'pipe' : output === 'inherit' ? 'inherit' : process.stderr
  const child = spawn(command, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env,
    detached: !terminal,
    stdio: [
      terminal ? 'inherit' : 'ignore',
      stdout,
      capture ? 'pipe' : 'inherit',
      ...(ipc ? [/** @type {const} */ ('ipc')] : []),
    ],
  })
  let captured = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (captured += chunk))
  const stop = () => {
    if (terminal) child.kill('SIGTERM')
    else if (child.connected) child.disconnect()
    else signalGroup(child.pid, 'SIGTERM')
    setTimeout(() => signalGroup(child.pid, 'SIGKILL'), STOP_DEADLINE_MS).unref()
  }
  stops.add(stop)
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      stops.delete(stop)
      reject(new Problem(`${command} cannot be run: ${error.message}`))
    })
    // After a disconnect by this side Node emits no `close`; captured output is complete only with it.
    child.once(
      capture ? 'close' : 'exit',
      (/** @type {number | null} */ code, /** @type {string | null} */ signal) => {
        stops.delete(stop)
        // Children of the child that still run.
        signalGroup(child.pid, 'SIGKILL')
        resolve({ code: code ?? 128 + (SIGNAL_NUMBERS[signal ?? ''] ?? 9), output: captured })
      },
    )
  })
}

/**
 * Runs a program that has to succeed; with `output: 'capture'` the error shows what it printed.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 */
export async function runOrFail(command, args, options) {
  const { code, output } = await run(command, args, options)
  if (code !== 0)
    throw new Problem(`failed with code ${code}: ${command} ${args.join(' ')}\n${output}`.trim())
  return output
}

/** @param {number | undefined} pid @param {NodeJS.Signals} signal */
function signalGroup(pid, signal) {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // The group has ended by itself.
  }
}
