import { setTimeout as pause } from 'node:timers/promises'
import { type RunningGrpcServer, startGrpcServer } from '@signet/grpc/grpc-server'
import { createCallMeasure, type RpcService, tracedService } from '@signet/grpc/service'
import { createMeasuredListener, createTracedListener } from '@signet/http/instrumentation'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import { listenHttp } from '@signet/platform/process/http-listener'
import type { Service } from '@signet/platform/process/service'
import type { Tracing } from '@signet/platform/tracing/tracing'
import type { ProcessSettings } from './process-settings.ts'
import type { Readiness } from './readiness.ts'
import type { OpenResources } from './resources.ts'

interface ServingParts {
  readonly readiness: Readiness
  readonly logger: Logger
  readonly metrics: Metrics
  readonly tracing: Tracing | undefined
  readonly opened: AsyncDisposableStack
  /** The resources of the service. */
  readonly resources: Pick<OpenResources, 'notReady' | 'degraded'>
}

/** Opens the ports of a started service and hands their orderly end to `opened`. */
export async function serve(
  service: Service<RpcService>,
  settings: ProcessSettings,
  { readiness, logger, metrics, tracing, opened, resources }: ServingParts,
): Promise<void> {
  const { host, httpPort, rpcPort, lastingRpcPort, maxConnectionAgeMs, drainDelayMs, drainDeadlineMs } =
    settings
  const closings: ((deadlineMs: number) => Promise<boolean>)[] = []
  opened.defer(async () => {
    const inTime = await Promise.all(closings.map((close) => close(drainDeadlineMs)))
    if (inTime.includes(false)) logger.warn('drain_cut_requests')
  })
  const measured = createCallMeasure(metrics)
  const observed = (one: RpcService) => (tracing ? tracedService(measured(one), tracing) : measured(one))
  const servers = await startRpcServers(
    [
      { services: service.rpc?.map(observed), port: rpcPort, maxConnectionAgeMs },
      { services: service.lastingRpc?.map(observed), port: lastingRpcPort },
    ],
    settings,
    logger,
  )
  closings.push(...servers.map((rpc) => (deadlineMs: number) => rpc.stop(deadlineMs)))
  let endConnections = () => {}
  if (service.http) {
    const listener = createMeasuredListener(service.http, metrics, tracing?.keptTraceId)
    const http = await listenHttp({
      listener: tracing ? createTracedListener(listener, tracing) : listener,
      host,
      port: httpPort,
    })
    closings.push((deadlineMs) => http.close(deadlineMs))
    endConnections = http.endConnections
  }
  opened.defer(async () => {
    await readiness.drain()
    endConnections()
    await pause(drainDelayMs)
  })
  await readiness.started({
    notReady: async () => [...(await service.notReady()), ...resources.notReady()],
    degraded: () => resources.degraded(),
    onChange(serving) {
      for (const rpc of servers) rpc.setServing(serving)
    },
  })
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
