import { ConfigurationError, type Environment, retiredSettings } from '../config/settings.ts'
import { StartFailure } from './service.ts'

interface RunServiceOptions {
  /** Begins every line that the process prints about its start. */
  readonly name: string
  readonly env: Environment
  /** Composes and starts everything. `signal` aborts when the process is asked to stop before the start is done. */
  readonly start: (env: Environment, signal: AbortSignal) => Promise<RunningService>
}

interface RunningService {
  stop(): Promise<void>
  /** After this the process exits although work still runs; 25 seconds when left out. */
  readonly stopDeadlineMs?: number
}

const STOP_DEADLINE_MS = 25_000

/**
 * Runs one process: starts it, stops it once on SIGTERM, SIGINT or when a parent's IPC channel closes, and sets the
 * exit code. A `ConfigurationError` or `StartFailure` becomes clear lines on standard error and exit code 1.
 */
export async function runService({ name, env, start }: RunServiceOptions): Promise<void> {
  const say = (text: string) => process.stderr.write(`${name}: ${text}\n`)
  for (const warning of retiredSettings(env)) say(warning)
  const aborted = new AbortController()
  // One turn later, so that a signal finds its listener however early it comes.
  const started = Promise.resolve().then(() => start(env, aborted.signal))
  let stopping = false

  const exitAfter = (deadlineMs: number) =>
    setTimeout(() => {
      say(`did not stop within ${deadlineMs / 1000} seconds`)
      process.exit(1)
    }, deadlineMs).unref()
  const stop = async (exitCode: number): Promise<void> => {
    // Once only: a terminal and npm both pass Ctrl-C on, so a second signal says nothing new.
    if (stopping) return
    stopping = true
    aborted.abort()
    const startDeadline = exitAfter(STOP_DEADLINE_MS)
    const running = await started.catch(() => undefined)
    clearTimeout(startDeadline)
    exitAfter(running?.stopDeadlineMs ?? STOP_DEADLINE_MS)
    try {
      await running?.stop()
      process.exit(exitCode)
    } catch (error) {
      say(`stopped with a problem: ${describe(error)}`)
      process.exit(1)
    }
  }
  const crash = (error: unknown): void => {
    for (const line of startProblems(error)) say(line)
    void stop(1)
  }

  process.on('SIGTERM', () => void stop(0))
  process.on('SIGINT', () => void stop(0))
  process.on('disconnect', () => void stop(0))
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  try {
    await started
  } catch (error) {
    if (stopping) return
    for (const line of startProblems(error)) say(line)
    process.exit(1)
  }
}

/** The messages for an operator, one line each; a stack only for an internal error. */
export function startProblems(error: unknown): readonly string[] {
  if (error instanceof ConfigurationError) return error.problems
  return [error instanceof StartFailure ? error.message : describe(error)]
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

interface RunOnceOptions {
  /** Begins every line that the process prints about a problem. */
  readonly name: string
  readonly env: Environment
  readonly run: (env: Environment) => Promise<void>
}

/**
 * Runs one task to its end and exits with 0. A `ConfigurationError` or `StartFailure` becomes clear lines on standard
 * error and exit code 1.
 */
export async function runOnce({ name, env, run }: RunOnceOptions): Promise<void> {
  try {
    await run(env)
    process.exit(0)
  } catch (error) {
    for (const line of startProblems(error)) process.stderr.write(`${name}: ${line}\n`)
    process.exit(1)
  }
}

/**
 * Starts an object made of parts. When `start` throws, the parts that were added to `opened` are closed again, the
 * last one first; otherwise the owner disposes of `opened`.
 */
export async function startOrClose<T>(start: (opened: AsyncDisposableStack) => Promise<T>): Promise<T> {
  const opened = new AsyncDisposableStack()
  try {
    return await start(opened)
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}
