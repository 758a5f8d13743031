import { randomBytes, X509Certificate } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { RpcService } from '@signet/grpc/service'
import type { TlsIdentity } from '@signet/grpc/tls-identity'
import type { Environment } from '@signet/platform/config/settings'
import type { Logger } from '@signet/platform/logger/logger'
import {
  createMetrics,
  createProcessMetrics,
  type Metrics,
  OPEN_METRICS_END,
} from '@signet/platform/metrics/metrics'
import { createDatabaseClock } from '@signet/platform/postgres/database-clock'
import { availableHost, createOperationsListener, listenHttp } from '@signet/platform/process/http-listener'
import { runService, startOrClose } from '@signet/platform/process/run-service'
import { type Service, type ServiceName, StartFailure } from '@signet/platform/process/service'
import { VERSION } from '@signet/platform/process/version'
import { startTracingCommands } from '@signet/platform/redis/trace-commands'
import type { Clock } from '@signet/platform/runtime/clock'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import { compactHeap } from '@signet/platform/runtime/heap'
import { staticSecretSettings } from '@signet/platform/sealing/static-settings'
import { unwrapMasterKeys } from '@signet/platform/sealing/wrapped-keys'
import { openTracedLog } from '@signet/platform/tracing/open-tracing'
import type { Tracing } from '@signet/platform/tracing/tracing'
import { startMeasuringCommands } from './measure-redis.ts'
import { readProcessSettings } from './process-settings.ts'
import { createReadiness } from './readiness.ts'
import { type Opened, openResources, type ResourceCheck, type Resources, readResources } from './resources.ts'
import { serve } from './serve.ts'

export interface ServiceProcess<Config, R extends Resources> {
  readonly name: ServiceName
  /** Reads the settings that only this service has. Throws ConfigurationError. */
  readonly config: (env: Environment) => Config
  readonly resources: R
  /** Composes and starts the service; called again when it fails because a resource is unavailable. */
  readonly start: (options: StartOptions<Config> & Opened<R>) => Promise<Service<RpcService>>
}

interface StartOptions<Config> {
  readonly config: Config
  readonly logger: Logger
  /** The time of PostgreSQL. */
  readonly now: Clock
  readonly random: (size: number) => Buffer
  /** The metrics served as `/metrics` on the operations port. */
  readonly metrics: Metrics
  readonly tracing?: Tracing
}

export interface RunningProcess {
  /** Stops being ready, waits for the drain delay, lets running requests finish, closes everything. */
  stop(): Promise<void>
  readonly stopDeadlineMs: number
}

/** Time for closing the remaining connections after the drain. */
const CLOSE_MS = 5_000

/**
 * Starts one service with its ports. The operations port opens first and reports the dependencies that the service waits for: a
 * database or a migration. Throws ConfigurationError with every problem of the settings, and StartFailure.
 */
export async function startServiceProcess<Config, R extends Resources>(
  definition: ServiceProcess<Config, R>,
  given: Environment,
  aborted: AbortSignal,
): Promise<RunningProcess> {
  const staticSecrets = staticSecretSettings(given)
  const env = await unwrapMasterKeys(given)
  const [settings, config, openers] = readResources(
    definition.resources,
    env,
    (values) => readProcessSettings(values, definition.name),
    definition.config,
  )
  const { drainDelayMs, drainDeadlineMs } = settings
  const processMetrics = createProcessMetrics()
  const readinessMetrics = createMetrics()
  let metrics = createMetrics()
  const allMetrics = () => [processMetrics, readinessMetrics, metrics]
  return startOrClose(async (opened) => {
    const { tracing, logger } = await openTracedLog(
      {
        service: definition.name,
        level: settings.logLevel,
        tracing: settings.tracing,
        watch: startTracingCommands,
      },
      opened,
    )
    const readiness = createReadiness(logger, readinessMetrics)
    const { operationsPort, tls } = settings
    const host = await availableHost(settings.host)
    const renewals = tls?.watch(logger)
    opened.defer(async () => renewals?.stop())
    const operations = await listenHttp({
      listener: createOperationsListener(() => readiness.notReady(), joinedMetrics(allMetrics)),
      host,
      port: operationsPort,
    })
    opened.defer(async () => void (await operations.close(0)))
    const clock = createDatabaseClock({ logger })
    const resources = openResources(
      openers,
      { service: definition.name, logger, clock, ...(tls && { tls }), ...(tracing && { tracing }) },
      opened,
    )
    let stopMeasuringCommands = () => {}
    opened.defer(() => stopMeasuringCommands())
    const service = await startWhenUsable({
      resources: resources.checks,
      waitingFor: readiness.waitingFor,
      start: () => {
        // A failed start already registered metrics; start with an empty registry.
        metrics = createMetrics()
        measureProcess(metrics, definition.name, { tls, staticSecrets })
        stopMeasuringCommands()
        stopMeasuringCommands = startMeasuringCommands(metrics)
        resources.measure(metrics)
        return definition.start({
          config,
          logger,
          now: clock.now,
          random: randomBytes,
          metrics,
          ...(tracing && { tracing }),
          ...(resources.values as Opened<R>),
        })
      },
      logger,
      aborted,
    })
    opened.defer(() => service.stop())
    // Before the ports open, so that it delays no request.
    compactHeap()
    await serve(service, { ...settings, host }, { readiness, logger, metrics, tracing, opened, resources })
    return {
      stop: () => opened.disposeAsync(),
      stopDeadlineMs: drainDelayMs + drainDeadlineMs + CLOSE_MS,
    }
  })
}

/** The text of several registries as one. */
const joinedMetrics = (all: () => readonly Pick<Metrics, 'text' | 'openMetrics'>[]) => ({
  text: async () => (await Promise.all(all().map((one) => one.text()))).join(''),
  openMetrics: async () =>
    (await Promise.all(all().map((one) => one.openMetrics()))).join('') + OPEN_METRICS_END,
})

/** Called by the `main.ts` of a service: runs it until SIGTERM or SIGINT, then drains it and exits. */
export async function runServiceProcess<Config, R extends Resources>(
  definition: ServiceProcess<Config, R> & { readonly env: Environment },
): Promise<void> {
  await runService({
    name: definition.name,
    env: definition.env,
    start: async (env, aborted) => startServiceProcess(definition, env, aborted),
  })
}

interface StartWhenUsableOptions<T> {
  readonly resources: readonly ResourceCheck[]
  readonly waitingFor: (names: readonly string[]) => void
  readonly start: () => Promise<T>
  readonly logger: Logger
  readonly aborted: AbortSignal
}

const RETRY_MS = 250

/**
 * Waits until every resource can be used, then starts. Repeats a failed start if a dependency was unavailable or overloaded;
 * rejects after any other failure. Rejects when aborted, and with a StartFailure when waiting cannot help.
 */
export async function startWhenUsable<T>(options: StartWhenUsableOptions<T>): Promise<T> {
  const { resources, waitingFor, start, logger, aborted } = options
  const loggedProblems = new Map<string, string>()
  for (;;) {
    aborted.throwIfAborted()
    const missing = await unusable(resources, (name, error) => {
      const { message } = error
      if (loggedProblems.get(name) !== message)
        logger.warn('waiting_for_dependency', { dependency: name, error })
      loggedProblems.set(name, message)
    })
    waitingFor(missing)
    if (missing.length === 0) {
      try {
        return await start()
      } catch (error) {
        const isTemporary = error instanceof DependencyUnavailableError
        if (!isTemporary && (await unusable(resources, () => undefined)).length === 0) throw error
        logger.warn('start_failed', { error })
      }
    }
    await pause(RETRY_MS, undefined, { signal: aborted })
  }
}

async function unusable(
  resources: readonly ResourceCheck[],
  onProblem: (name: string, error: Error) => void,
): Promise<readonly string[]> {
  const results = await Promise.allSettled(resources.map((resource) => resource.usable()))
  return results.flatMap((result, index) => {
    if (result.status === 'fulfilled') return []
    if (result.reason instanceof StartFailure) throw result.reason
    const name = resources[index]?.name ?? ''
    onProblem(name, result.reason instanceof Error ? result.reason : new Error(String(result.reason)))
    return [name]
  })
}

interface ProcessFacts {
  readonly tls: TlsIdentity | undefined
  /** Settings whose secret counts until an operator replaces it. */
  readonly staticSecrets: readonly string[]
}

/** Registers build info, the names of static secrets and the expiry of the gRPC certificates. */
export function measureProcess(
  metrics: Metrics,
  service: ServiceName,
  { tls, staticSecrets }: ProcessFacts,
): void {
  const build = { service, version: VERSION, node: process.versions.node }
  metrics.gauge(
    { name: 'signet_build_info', help: 'Always 1.', labels: ['service', 'version', 'node'] },
    () => [{ labels: build, value: 1 }],
  )
  metrics.gauge(
    {
      name: 'signet_static_secret',
      help: 'Always 1, for each setting with a secret that counts until an operator replaces it.',
      labels: ['service', 'setting'],
    },
    () => staticSecrets.map((setting) => ({ labels: { service, setting }, value: 1 })),
  )
  if (tls === undefined) return
  metrics.gauge(
    {
      name: 'signet_rpc_certificate_expiry_timestamp_seconds',
      help: 'When the certificate for gRPC ends, of those whose files are in use now.',
      labels: ['certificate'],
    },
    () => [
      { labels: { certificate: 'service' }, value: expiry(tls.certificate) },
      { labels: { certificate: 'authority' }, value: expiry(tls.ca) },
    ],
  )
}

/** The first expiry in a bundle, since an expired authority invalidates the certificates that it signed. */
function expiry(pem: Buffer | string): number {
  const certificates =
    pem.toString().match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return Math.min(...certificates.map((each) => new X509Certificate(each).validToDate.getTime() / 1_000))
}
