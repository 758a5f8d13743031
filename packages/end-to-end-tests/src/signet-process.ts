import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { freePort } from '@signet/testkit/free-port'

const MAIN = fileURLToPath(new URL('../../../apps/standalone/src/main.ts', import.meta.url))
const NODE_OPTIONS = ['--conditions=source', '--disable-warning=ExperimentalWarning']

/** The suite as `npm start` runs it, in a process of its own. */
export interface SignetProcess {
  readonly issuer: string
  /** Everything it wrote to standard output and to standard error so far. */
  output(): { readonly stdout: string; readonly stderr: string }
  /** Sends SIGTERM and answers the exit code. */
  stop(): Promise<number | null>
}

export interface SignetOptions {
  /** Settings besides the port, the issuer and the data directory, which are chosen unless given. */
  readonly env: Readonly<Record<string, string>>
}

/** Starts the suite and waits for its `ready` line. Rejects with what it printed when it ends before. */
export async function startSignet(options: SignetOptions): Promise<SignetProcess> {
  const run = await launch(options)
  const ready = new Promise<string>((resolve) => {
    createInterface({ input: run.child.stdout }).on('line', (line) => {
      if (line.startsWith('ready ')) resolve(line.slice('ready '.length))
    })
  })
  const issuer = await Promise.race([ready, run.exit.then(() => undefined)])
  if (issuer === undefined) throw new Error(`signet ended before it was ready:\n${run.output().stderr}`)
  return {
    issuer,
    output: run.output,
    async stop() {
      run.child.kill('SIGTERM')
      return run.exit
    },
  }
}

/** Runs the suite to its end, for starts that must be refused. */
export async function runSignet(
  options: SignetOptions,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const run = await launch(options)
  const code = await run.exit
  return { code, ...run.output() }
}

async function launch({ env }: SignetOptions) {
  const ownDirectory = env.SIGNET_DATA_DIR === undefined ? await mkdtemp(join(tmpdir(), 'signet-e2e-')) : undefined
  const child = spawn(process.execPath, [...NODE_OPTIONS, MAIN], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      SIGNET_PORT: String(await freePort()),
      ...(ownDirectory && { SIGNET_DATA_DIR: ownDirectory }),
      ...env,
    },
  })
  const collected = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    collected.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    collected.stderr += text
  })
  return { child, exit: exitOf(child, ownDirectory), output: () => ({ ...collected }) }
}

async function exitOf(child: ChildProcess, ownDirectory: string | undefined): Promise<number | null> {
  const [code] = (await once(child, 'close')) as [number | null]
  if (ownDirectory !== undefined) await rm(ownDirectory, { recursive: true, force: true })
  return code
}
