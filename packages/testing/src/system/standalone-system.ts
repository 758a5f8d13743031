import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Program } from '@signet/dev-stack/processes/child'
import { childEnvironment, testedProgram } from '../child-environment.ts'
import { freePort } from '../free-port.ts'
import { type DataDirectory, writeBootstrapFile } from './installation.ts'
import { createPreparedDataDirectory } from './prepared-data.ts'
import { watchDescendants } from './process-tree.ts'
import { bootstrapDocument, UNLIMITED } from './test-directory.ts'
import { TestSystem } from './test-system.ts'

const NODE_OPTIONS = ['--disable-warning=ExperimentalWarning']

type Settings = Readonly<Record<string, string>>

export interface StandaloneOptions {
  readonly mode: 'standalone'
  /** A bootstrap document, or the sample; the test directory when left out. `env` may name a file instead. */
  readonly document?: object | 'sample'
  /** Settings besides the port and the data directory, which are chosen unless given. */
  readonly env?: Settings
  /** A directory that outlives the process; otherwise it gets one that is removed at its end. */
  readonly data?: DataDirectory
  /** `testedProgram` when left out. */
  readonly program?: Program
}

/** All services in a process of their own. */
export class StandaloneSystem extends TestSystem {
  readonly pid: number
  readonly data: DataDirectory
  /** Time from its start to its `ready` line. */
  readonly startedInMs: number
  /** Output to standard output and to standard error so far. */
  readonly output: Launched['output']
  readonly #end: (signal: NodeJS.Signals) => Promise<number | null>

  constructor(
    issuer: string,
    { pid, data, output }: Launched,
    startedInMs: number,
    end: (signal: NodeJS.Signals) => Promise<number | null>,
  ) {
    super(issuer)
    this.pid = pid
    this.data = data
    this.output = output
    this.startedInMs = startedInMs
    this.#end = end
  }

  /** Sends a signal and returns the exit code. */
  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    return this.#end(signal)
  }
}

/** Rejects with the output of the process when it ends before its `ready` line. */
export async function runStandalone({
  document,
  env = {},
  data,
  program,
}: StandaloneOptions): Promise<StandaloneSystem> {
  const file =
    env.SIGNET_BOOTSTRAP_FILE === undefined && document !== 'sample'
      ? await writeBootstrapFile(document ?? bootstrapDocument())
      : undefined
  const startedAt = performance.now()
  const launched = await launch({ ...(file && { SIGNET_BOOTSTRAP_FILE: file.path }), ...env }, data, program)
  const issuer = await Promise.race([launched.ready, launched.exit.then(() => undefined)])
  if (issuer === undefined) throw new Error(`signet ended before it was ready:\n${launched.output().stderr}`)
  return new StandaloneSystem(issuer, launched, performance.now() - startedAt, async (signal) => {
    launched.kill(signal)
    const code = await launched.exit
    await file?.remove()
    return code
  })
}

/** How a process ended, and everything that it had started. */
export interface EndedProcess {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly descendants: ReadonlySet<number>
}

/** Runs `npm start` to its end, for starts that must be refused. */
export async function runToEnd(env: Settings, data?: DataDirectory): Promise<EndedProcess> {
  const launched = await launch(env, data)
  const descendants = watchDescendants(launched.pid)
  const code = await launched.exit
  descendants.stop()
  return { code, ...launched.output(), descendants: descendants.seen }
}

interface Launched {
  readonly pid: number
  readonly data: DataDirectory
  /** The issuer, from the `ready` line. */
  readonly ready: Promise<string>
  readonly exit: Promise<number | null>
  kill(signal: NodeJS.Signals): void
  output(): { readonly stdout: string; readonly stderr: string }
}

async function launch(env: Settings, given?: DataDirectory, program = testedProgram): Promise<Launched> {
  const data = given ?? (await createPreparedDataDirectory())
  const child = spawn(process.execPath, [...NODE_OPTIONS, ...program('standalone')], {
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
    kill: (signal) => void child.kill(signal),
    output: () => ({ ...collected }),
  }
}
