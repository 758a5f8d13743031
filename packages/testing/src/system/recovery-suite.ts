import { Secret } from '@signet/platform/config/settings-fields'
import { SERVICE_NAMES } from '@signet/platform/process/service'
import type { HttpBrowser } from '../http-browser.ts'
import { writeBootstrapFile } from './bootstrap-file.ts'
import { type NativePostgres, startNativePostgres } from './native-postgres.ts'
import { type Relay, startRelay } from './relay.ts'
import { startSixProcesses } from './six-processes.ts'
import { Suite, type Tokens } from './suite.ts'
import { bootstrapDocument } from './test-directory.ts'

/** Six processes on an installed PostgreSQL behind an address that a drill leads to another server. */
export interface RecoverySuite {
  readonly suite: Suite
  readonly postgres: NativePostgres
  readonly relay: Relay
  /** Stops every replica of every service. */
  stopServices(): Promise<void>
  /** Starts them again and waits until they are ready. */
  startServices(): Promise<void>
  /** Runs the app `migrate` with arguments and returns what it wrote. */
  migrate(...args: readonly string[]): Promise<string>
  /** The value of a metric, added up over the replicas of `token`. */
  metricOfToken(name: string): Promise<number>
  stop(): Promise<void>
}

export async function startRecoverySuite(): Promise<RecoverySuite> {
  const opened = new AsyncDisposableStack()
  const bootstrap = await writeBootstrapFile(bootstrapDocument())
  opened.defer(() => bootstrap.remove())
  try {
    const postgres = await startNativePostgres()
    opened.defer(() => postgres.stop())
    const relay = await startRelay()
    opened.defer(async () => relay.stop())
    relay.lead(postgres.port)
    const url = new URL(postgres.url.reveal())
    url.port = String(relay.port)
    const signet = await startSixProcesses({
      bootstrapFile: bootstrap.path,
      postgresUrl: new Secret(url.href),
    })
    opened.defer(async () => {
      await signet.stop()
    })
    const { processes } = signet
    const replicas = SERVICE_NAMES.flatMap((service) => processes.replicas(service))
    return {
      suite: new Suite(signet, bootstrap),
      postgres,
      relay,
      async stopServices() {
        await Promise.all(replicas.map((replica) => replica.end('SIGTERM')))
      },
      async startServices() {
        await Promise.all(replicas.map((replica) => replica.start()))
        await processes.untilReady()
      },
      migrate: (...args) => processes.migrate(...args),
      async metricOfToken(name) {
        const pages = processes.replicas('token').map(async ({ ports }) => {
          const response = await fetch(`http://127.0.0.1:${ports.operations}/metrics`)
          return response.text()
        })
        const lines = (await Promise.all(pages)).join('\n').split('\n')
        const values = lines
          .filter((line) => line.startsWith(name))
          .map((line) => Number(line.split(' ').at(-1)))
        return values.reduce((sum, value) => sum + value, 0)
      },
      stop: () => opened.disposeAsync(),
    }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** A person who is signed in, with what an application and a browser hold. */
export interface SignedIn {
  readonly loginName: string
  readonly browser: HttpBrowser
  readonly tokens: Tokens
}

export async function signIn(suite: Suite, loginName: string): Promise<SignedIn> {
  const browser = suite.newBrowser()
  return { loginName, browser, tokens: await suite.tokens({ loginName, browser }) }
}

/** The parts of a sign-in that still work: any of `access`, `refresh` and `session`. */
export async function alive(suite: Suite, { browser, tokens }: SignedIn): Promise<readonly string[]> {
  const silent = await suite.signIn({ browser, parameters: { prompt: 'none' } })
  const works = {
    access: await suite.isActive(tokens.access_token),
    refresh: (await suite.refresh('web', tokens.refresh_token)).status === 200,
    session: silent.has('code'),
  }
  return Object.entries(works).flatMap(([name, isAlive]) => (isAlive ? [name] : []))
}
