import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../child-environment.ts'
import { freePort } from '../free-port.ts'
import { createDataDirectory, type DataDirectory } from './data-directory.ts'
import { watchDescendants } from './process-tree.ts'
import { UNLIMITED } from './unlimited.ts'

const MAIN = fileURLToPath(new URL('../../../../apps/standalone/src/main.ts', import.meta.url))
const NODE_OPTIONS = ['--disable-warning=ExperimentalWarning']

/** The suite as `npm start` runs it, in a process of its own. */
export interface SignetProcess {
  readonly issuer: string
  readonly pid: number
  readonly data: DataDirectory
  /** From its start to its `ready` line. */
  readonly startedInMs: number
  /** Everything it wrote to standard output and to standard error so far. */
  output(): { readonly stdout: string; readonly stderr: string }
  /** Sends a signal, SIGTERM by default, and returns the exit code. A data directory of its own is removed too. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export interface SignetOptions {
  /** Settings besides the port and the data directory, which are chosen unless given. */
  readonly env: Readonly<Record<string, string>>
  /** One that outlives the process; otherwise it gets one that goes with it. */
  readonly data?: DataDirectory
}

/** Starts the suite and waits for its `ready` line. Rejects with what it printed when it ends before. */
export async function startSignet(options: SignetOptions): Promise<SignetProcess> {
  const startedAt = performance.now()
  const run = await launch(options)
  const issuer = await Promise.race([run.ready, run.exit.then(() => undefined)])
  if (issuer === undefined) throw new Error(`signet ended before it was ready:\n${run.output().stderr}`)
  return {
    issuer,
    pid: run.pid,
    data: run.data,
    startedInMs: performance.now() - startedAt,
    output: run.output,
    async stop(signal = 'SIGTERM') {
      run.kill(signal)
      return run.exit
    },
  }
}

/** How a process ended, and everything that it had started. */
export interface EndedProcess {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly descendants: ReadonlySet<number>
}

/** Runs the suite to its end, for starts that must be refused. */
export async function runSignet(options: SignetOptions): Promise<EndedProcess> {
  const run = await launch(options)
  const descendants = watchDescendants(run.pid)
  const code = await run.exit
  descendants.stop()
  return { code, ...run.output(), descendants: descendants.seen }
}

async function launch({ env, data: given }: SignetOptions) {
  const data = given ?? (await createDataDirectory())
  const child = spawn(process.execPath, [...NODE_OPTIONS, MAIN], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...childEnvironment(),
      HOME: process.env.HOME,
      SIGNET_PORT: String(await freePort()),
      SIGNET_DATA_DIR: data.path,
      ...UNLIMITED,
      ...env,
    },
  })
  const collected = { stdout: '', stderr: '' }
  const ready = new Promise<string>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      collected.stdout += text
      const issuer = /^ready (\S+)$/m.exec(collected.stdout)?.[1]
      if (issuer !== undefined) resolve(issuer)
    })
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    collected.stderr += text
  })
  const exit = once(child, 'close').then(async ([code]) => {
    if (given === undefined) await data.remove()
    return code as number | null
  })
  return {
    pid: child.pid ?? 0,
    data,
    ready,
    exit,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    output: () => ({ ...collected }),
  }
}
