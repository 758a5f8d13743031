import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The arguments of `node` that run the main file of an app of this repository. */
export type Program = (app: string) => readonly string[]

/** The sources, as `npm run dev` runs them: they need no build. The young generation is that of `npm start` (`scripts/run.mjs`). */
export const FROM_SOURCES: Program = (app) => ['--max-semi-space-size=16', pathOf(`${app}/src/main.ts`)]

/** The file that the images run; `deploy/docker/bundle-app.ts` writes it. */
export const BUNDLED: Program = (app) => [pathOf(`${app}/bundle/main.js`)]

const pathOf = (path: string) => fileURLToPath(new URL(`../../../../apps/${path}`, import.meta.url))

export interface ChildOptions {
  readonly program: Program
  readonly app: string
  readonly args?: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Receives what it writes, line by line or in pieces. */
  readonly onOutput: (text: string) => void
}

export interface Child {
  readonly pid: number
  /** Exit code of the process, or null when a signal ended it. */
  readonly ended: Promise<number | null>
  /** Asks it to stop. It also stops when this process is gone for any reason. */
  stop(): void
  kill(signal: NodeJS.Signals): void
}

/** Starts an app of this repository. */
export async function startChild({ program, app, args = [], env, onOutput }: ChildOptions): Promise<Child> {
  const child = spawn(process.execPath, [...program(app), ...args], {
    env,
    // A session of its own: a Ctrl-C of the terminal reaches it once, through this process.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const ended = exitOf(child)
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', onOutput)
  await once(child, 'spawn')
  return {
    pid: child.pid ?? 0,
    ended,
    stop: () => {
      if (child.connected) child.disconnect()
    },
    kill: (signal) => void child.kill(signal),
  }
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}
