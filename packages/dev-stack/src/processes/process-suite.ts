import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startOrClose } from '@signet/platform/process/run-service'
import { SERVICE_NAMES, type ServiceName, StartFailure } from '@signet/platform/process/service'
import { type Edge, startEdge } from '../edge/edge.ts'
import { type ChildOptions, FROM_SOURCES, type Program, startChild } from './child.ts'
import { type Replica, startReplica } from './replica.ts'
import { freePorts, type PortPlan, type ServicePorts } from './service-ports.ts'
import { migrateSettings, type Surroundings, serviceSettings } from './suite-settings.ts'

export interface ProcessSuiteOptions extends Surroundings {
  /** Host of the edge; the issuer leads there. */
  readonly host: string
  readonly port: number
  /** How many processes each service has; one where an object names none. */
  readonly replicas: number | Readonly<Partial<Record<ServiceName, number>>>
  /** Free ports when left out. */
  readonly ports?: PortPlan
  readonly bootstrap?: {
    readonly file: string
    /** Environment for `${NAME}` in its secrets. */
    readonly environment: Readonly<Record<string, string>>
  }
  /** `FROM_SOURCES` when left out. */
  readonly program?: Program
  /** The environment that all processes inherit, such as PATH. */
  readonly environment: Readonly<Record<string, string>>
  /** Receives what the processes write. */
  readonly onOutput: (text: string) => void
  readonly onUnexpectedEnd: (problem: string, replica: Replica) => void
}

export interface ProcessSuite {
  readonly issuer: string
  replicas(service: ServiceName): readonly Replica[]
  /** Runs the app `migrate` with arguments and returns what it wrote. Rejects with StartFailure when it fails. */
  migrate(...args: readonly string[]): Promise<string>
  /**
   * Resolves when every replica is ready. Rejects with StartFailure while one is not running that ended without a request,
   * or after a minute; and when aborted.
   */
  untilReady(aborted?: AbortSignal): Promise<void>
  /** Ends the edge and every process, in order. */
  stop(): Promise<void>
}

const READY_DEADLINE_MS = 60_000
const POLL_MS = 50
const ANSWER_MS = 1_000

/**
 * Makes certificates unless the folder has some, prepares the database, and starts every replica at once, in no
 * particular order, and the edge. Throws StartFailure when one of the preparations fails.
 */
export async function startProcessSuite(options: ProcessSuiteOptions): Promise<ProcessSuite> {
  const { issuer, host, port, replicas: count, ports = freePorts, program = FROM_SOURCES } = options
  const { onOutput, onUnexpectedEnd } = options
  return startOrClose(async (opened) => {
    await prepare(options)
    const places = await choosePorts(count, ports)
    const replicas: Replica[] = []
    opened.defer(async () => {
      await Promise.all(replicas.map((replica) => replica.end('SIGTERM')))
    })
    for (const service of SERVICE_NAMES) {
      for (const [index, own] of places[service].entries()) {
        const env = { ...options.environment, ...serviceSettings(service, own, places, options) }
        replicas.push(
          await startReplica({
            program,
            service,
            number: index + 1,
            ports: own,
            env,
            onOutput,
            onUnexpectedEnd,
          }),
        )
      }
    }
    const edge = await startEdge({ host, port, upstreams: upstreamsOf(places) })
    opened.defer(() => edge.stop())
    return {
      issuer,
      replicas: (service) => replicas.filter((replica) => replica.service === service),
      migrate: (...args) =>
        runToEnd({
          program,
          app: 'migrate',
          args,
          env: {
            ...options.environment,
            ...migrateSettings(options),
            SIGNET_REDIS_URL: options.redisUrl.reveal(),
          },
        }),
      untilReady: (aborted) => untilReady({ edge, replicas }, aborted),
      stop: () => opened.disposeAsync(),
    }
  })
}

async function prepare(options: ProcessSuiteOptions): Promise<void> {
  const { certificatesFolder, bootstrap, environment, program = FROM_SOURCES } = options
  if (!existsSync(join(certificatesFolder, 'ca.crt'))) {
    await runToEnd({
      program,
      app: 'cli',
      args: ['certs', 'init', '--out', certificatesFolder],
      env: environment,
    })
  }
  await runToEnd({
    program,
    app: 'migrate',
    env: { ...environment, ...bootstrap?.environment, ...migrateSettings(options, bootstrap?.file) },
  })
}

/** Returns what the process wrote. */
async function runToEnd(options: Omit<ChildOptions, 'onOutput'>): Promise<string> {
  let output = ''
  const child = await startChild({
    ...options,
    onOutput: (text) => {
      output += text
    },
  })
  if ((await child.ended) !== 0) throw new StartFailure(output.trim())
  return output
}

type Places = Readonly<Record<ServiceName, readonly ServicePorts[]>>

async function choosePorts(count: ProcessSuiteOptions['replicas'], ports: PortPlan): Promise<Places> {
  const chosen = new Map<ServiceName, readonly ServicePorts[]>()
  for (const service of SERVICE_NAMES) {
    const length = typeof count === 'number' ? count : (count[service] ?? 1)
    const places = Array.from({ length }, (_, replica) => ports(service, replica))
    chosen.set(service, await Promise.all(places))
  }
  return Object.fromEntries(chosen) as Places
}

function upstreamsOf(places: Places) {
  return Object.fromEntries(
    SERVICE_NAMES.map((service) => [
      service,
      places[service].map(({ http, operations }) => ({
        host: '127.0.0.1',
        port: http,
        operationsPort: operations,
      })),
    ]),
  )
}

interface Running {
  readonly edge: Edge
  readonly replicas: readonly Replica[]
}

async function untilReady(running: Running, aborted: AbortSignal | undefined): Promise<void> {
  const deadline = Date.now() + READY_DEADLINE_MS
  for (let missing = await notReady(running); missing.length > 0; missing = await notReady(running)) {
    const ended = running.replicas.flatMap(({ problem }) => problem ?? [])
    if (ended.length > 0) throw new StartFailure(ended.join('; '))
    if (Date.now() > deadline) {
      throw new StartFailure(`not ready within ${READY_DEADLINE_MS / 1000} s: ${missing.join(', ')}`)
    }
    await pause(POLL_MS, undefined, aborted && { signal: aborted })
  }
}

/** The replicas have to say so themselves: one that was killed a moment ago is still ready to the edge. */
async function notReady({ edge, replicas }: Running): Promise<readonly string[]> {
  const behindEdge = edge.notReady()
  if (behindEdge.length > 0) return behindEdge
  const answers = await Promise.all(replicas.map(isReady))
  const missing = replicas.filter((_, index) => !answers[index])
  // Again, for it may have noticed meanwhile.
  return missing.length > 0 ? missing.map(({ name }) => name) : edge.notReady()
}

async function isReady({ ports }: Replica): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${ports.operations}/readyz`, {
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    await response.body?.cancel()
    return response.ok
  } catch {
    return false
  }
}
