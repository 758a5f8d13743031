import { randomBytes } from 'node:crypto'
import type { RpcService } from '@signet/grpc/service'
import type { Environment } from '@signet/platform/config/settings'
import type { Logger } from '@signet/platform/logger/logger'
import { createMetrics, type Metrics } from '@signet/platform/metrics/metrics'
import { createProcessMetrics } from '@signet/platform/metrics/process-metrics'
import { listenHttp } from '@signet/platform/process/http-listener'
import { operationsListener } from '@signet/platform/process/operations-listener'
import type { Service, ServiceName } from '@signet/platform/process/service'
import { startOrClose } from '@signet/platform/process/start-or-close'
import { traceCommands } from '@signet/platform/redis/trace-commands'
import { type Clock, systemClock } from '@signet/platform/runtime/clock'
import { compactHeap } from '@signet/platform/runtime/compact-heap'
import { pooledRandom } from '@signet/platform/runtime/random-pool'
import { openTracedLog } from '@signet/platform/tracing/open-traced-log'
import type { Tracing } from '@signet/platform/tracing/tracing'
import { measureProcess } from './measure-process.ts'
import { readProcessSettings } from './process-settings.ts'
import { createReadiness } from './readiness.ts'
import type { Opened, Resources } from './resource.ts'
import { openResources, readResources } from './resources.ts'
import { serve } from './serve.ts'
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
  /** The metrics served as `/metrics` on the operations port. */
  readonly metrics: Metrics
  readonly tracing?: Tracing
}

export interface RunningProcess {
  /** Stops being ready, waits for the drain delay, lets running requests finish, closes everything. */
  stop(): Promise<void>
  readonly stopDeadlineMs: number
}

/** Closing what is left when the drain is over. */
const CLOSE_MS = 5_000

/**
 * Starts one service with its ports. The operations port opens first and reports the missing dependencies of the
 * others: a database or a migration. Throws ConfigurationError with every problem of the settings, and StartFailure.
 */
export async function startServiceProcess<Config, R extends Resources>(
  definition: ServiceProcess<Config, R>,
  env: Environment,
  aborted: AbortSignal,
): Promise<RunningProcess> {
  const [settings, config, openers] = readResources(
    definition.resources,
    env,
    (values) => readProcessSettings(values, definition.name),
    definition.config,
  )
  const { drainDelayMs, drainDeadlineMs } = settings
  const processMetrics = createProcessMetrics()
  let metrics = createMetrics()
  return startOrClose(async (opened) => {
    const { tracing, logger } = await openTracedLog(
      {
        service: definition.name,
        level: settings.logLevel,
        tracing: settings.tracing,
        watch: traceCommands,
      },
      opened,
    )
    const readiness = createReadiness(logger)
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
      { service: definition.name, logger, ...(tls && { tls }), ...(tracing && { tracing }) },
      opened,
    )
    const service = await startWhenUsable({
      resources: resources.checks,
      waitingFor: readiness.waitingFor,
      start: () => {
        // An attempt that failed has registered its numbers already.
        metrics = createMetrics()
        measureProcess(metrics, definition.name, tls)
        resources.measure(metrics)
        return definition.start({
          config,
          logger,
          now: systemClock,
          random: pooledRandom(randomBytes),
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
    const { notReady: resourcesNotReady } = resources
    await serve(service, settings, { readiness, logger, metrics, tracing, opened, resourcesNotReady })
    return {
      stop: () => opened.disposeAsync(),
      stopDeadlineMs: drainDelayMs + drainDeadlineMs + CLOSE_MS,
    }
  })
}
