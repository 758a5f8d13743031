import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { measureRequests } from '@signet/http-server/request-metrics'
import { createMetrics, type Metrics } from '@signet/metrics/metrics'
import { createProcessMetrics } from '@signet/metrics/process-metrics'
import { type RunningGrpcServer, startGrpcServer } from '@signet/rpc/grpc-server'
import type { RpcService } from '@signet/rpc/service'
import { type Clock, systemClock } from '@signet/service-runtime/clock'
import { listenHttp } from '@signet/service-runtime/http-listener'
import { createLogger, type Logger } from '@signet/service-runtime/logger'
import { operationsListener } from '@signet/service-runtime/operations-listener'
import type { Service, ServiceName } from '@signet/service-runtime/service'
import type { Environment } from '@signet/service-runtime/settings'
import { startOrClose } from '@signet/service-runtime/start-or-close'
import { type ProcessSettings, readProcessSettings } from './process-settings.ts'
import { createReadiness, type Readiness } from './readiness.ts'
import type { Opened, Resources } from './resource.ts'
import { openResources, readResources } from './resources.ts'
import { startWhenUsable } from './start-when-usable.ts'

export interface ServiceProcess<Config, R extends Resources> {
  readonly name: ServiceName
  /** Reads the settings that only this service has. Throws ConfigurationError. */
  readonly config: (env: Environment) => Config
  readonly resources: R
  /** Composes and starts the service; called again when it fails because a resource is away. */
  readonly start: (options: StartOptions<Config> & Opened<R>) => Promise<Service<RpcService>>
}

interface StartOptions<Config> {
  readonly config: Config
  readonly logger: Logger
  readonly now: Clock
  readonly random: (size: number) => Buffer
  /** What is registered there is served as `/metrics` on the operations port. */
  readonly metrics: Metrics
}

export interface RunningProcess {
  /** Stops being ready, waits for the drain delay, lets running requests finish, closes everything. */
  stop(): Promise<void>
  readonly stopDeadlineMs: number
}

/** Closing what is left when the drain is over. */
const CLOSE_MS = 5_000

/**
 * Starts one service with its ports. The operations port opens first and tells what the others wait for: a database
 * or a migration that is not there yet. Throws ConfigurationError with every problem of the settings, and StartFailure.
 */
export async function startServiceProcess<Config, R extends Resources>(
  definition: ServiceProcess<Config, R>,
  env: Environment,
  aborted: AbortSignal,
): Promise<RunningProcess> {
  const [settings, config, openers] = readResources(
    definition.resources,
    env,
    readProcessSettings,
    definition.config,
  )
  const { drainDelayMs, drainDeadlineMs } = settings
  const logger = createLogger({ service: definition.name, level: settings.logLevel })
  const readiness = createReadiness(logger)
  const processMetrics = createProcessMetrics()
  let metrics = createMetrics()
  return startOrClose(async (opened) => {
    const { host, operationsPort, tls } = settings
    const renewals = tls?.watch(logger)
    opened.defer(async () => renewals?.stop())
    const operations = await listenHttp({
      listener: operationsListener(
        () => readiness.notReady(),
        async () => (await Promise.all([processMetrics.text(), metrics.text()])).join('\n'),
      ),
      host,
      port: operationsPort,
    })
    opened.defer(async () => void (await operations.close(0)))
    const resources = openResources(
      openers,
      { service: definition.name, logger, ...(tls && { tls }) },
      opened,
    )
    const service = await startWhenUsable({
      resources: resources.checks,
      waitingFor: readiness.waitingFor,
      start: () => {
        // An attempt that failed has registered its numbers already.
        metrics = createMetrics()
        resources.measure(metrics)
        return definition.start({
          config,
          logger,
          now: systemClock,
          random: randomBytes,
          metrics,
          ...(resources.values as Opened<R>),
        })
      },
      logger,
      aborted,
    })
    opened.defer(() => service.stop())
    await serve(service, settings, { readiness, logger, metrics, opened })
    return {
      stop: () => opened.disposeAsync(),
      stopDeadlineMs: drainDelayMs + drainDeadlineMs + CLOSE_MS,
    }
  })
}

interface ServingParts {
  readonly readiness: Readiness
  readonly logger: Logger
  readonly metrics: Metrics
  readonly opened: AsyncDisposableStack
}

/** Opens the ports of a started service and hands their orderly end to `opened`. */
async function serve(
  service: Service<RpcService>,
  settings: ProcessSettings,
  { readiness, logger, metrics, opened }: ServingParts,
): Promise<void> {
  const { host, httpPort, rpcPort, lastingRpcPort, maxConnectionAgeMs, drainDelayMs, drainDeadlineMs } =
    settings
  const closings: ((deadlineMs: number) => Promise<boolean>)[] = []
  opened.defer(async () => {
    const inTime = await Promise.all(closings.map((close) => close(drainDeadlineMs)))
    if (inTime.includes(false)) logger.warn('drain_cut_requests')
  })
  const servers = await startRpcServers(
    [
      { services: service.rpc, port: rpcPort, maxConnectionAgeMs },
      { services: service.lastingRpc, port: lastingRpcPort },
    ],
    settings,
    logger,
  )
  closings.push(...servers.map((rpc) => (deadlineMs: number) => rpc.stop(deadlineMs)))
  if (service.http) {
    const http = await listenHttp({
      listener: measureRequests(service.http, metrics),
      host,
      port: httpPort,
    })
    closings.push((deadlineMs) => http.close(deadlineMs))
  }
  opened.defer(async () => {
    await readiness.drain()
    await pause(drainDelayMs)
  })
  await readiness.started(
    () => service.notReady(),
    (serving) => {
      for (const rpc of servers) rpc.setServing(serving)
    },
  )
}

interface RpcPort {
  readonly services: readonly RpcService[] | undefined
  readonly port: number
  readonly maxConnectionAgeMs?: number
}

/** Opens a port for each set of services that there is. */
function startRpcServers(
  ports: readonly RpcPort[],
  { host, tls }: ProcessSettings,
  logger: Logger,
): Promise<readonly RunningGrpcServer[]> {
  const onFailure = (method: string, error: unknown) => logger.error('rpc_failed', { rpc: method, error })
  return Promise.all(
    ports.flatMap(({ services, ...port }) =>
      services === undefined
        ? []
        : [startGrpcServer({ services, host, ...(tls && { tls }), ...port, onFailure })],
    ),
  )
}
