import { setTimeout as pause } from 'node:timers/promises'
import { type RunningGrpcServer, startGrpcServer } from '@signet/grpc/grpc-server'
import { createCallMeasure, type RpcService, tracedService } from '@signet/grpc/service'
import { createMeasuredListener, createTracedListener } from '@signet/http/instrumentation'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import { type HttpListener, listenHttp } from '@signet/platform/process/http-listener'
import { startMutualTlsListener } from '@signet/platform/process/mutual-tls-listener'
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
  const { host, httpPort, rpcPort, lastingRpcPort, mutualTlsListener } = settings
  const { maxConnectionAgeMs, drainDelayMs, drainDeadlineMs } = settings
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
  const endings: (() => void)[] = []
  const closeWithOthers = (http: Pick<HttpListener, 'endConnections' | 'close'>) => {
    endings.push(http.endConnections)
    closings.push((deadlineMs) => http.close(deadlineMs))
  }
  if (service.http) {
    const counted = createMeasuredListener(service.http, metrics, tracing?.keptTraceId)
    const listener = tracing ? createTracedListener(counted, tracing) : counted
    closeWithOthers(await listenHttp({ listener, host, port: httpPort }))
    if (mutualTlsListener) {
      closeWithOthers(await startMutualTlsListener(mutualTlsListener, { listener, host, logger }))
    }
  }
  opened.defer(async () => {
    await readiness.drain()
    for (const endConnections of endings) endConnections()
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
