import type { RequestListener } from 'node:http'
import type { RpcTransport } from '@signet/grpc/client'
import { createInProcessNetwork, type InProcessNetwork } from '@signet/grpc/in-process'
import { type RpcService, tracedService } from '@signet/grpc/service'
import { tracedTransport } from '@signet/grpc/traced-transport'
import type { Logger } from '@signet/platform/logger/logger'
import type { Service, ServiceName } from '@signet/platform/process/service'
import type { Tracing } from '@signet/platform/tracing/tracing'

export interface SuiteServices {
  readonly network: InProcessNetwork
  /** Serves the methods of a service once it has started. */
  run(starting: Promise<Service<RpcService>>): Promise<void>
  /** The transport over which one service calls another; calls succeed once that one runs. */
  connect(caller: ServiceName, callee: ServiceName): RpcTransport
  listeners(): ReadonlyMap<ServiceName, RequestListener>
  notReady(): Promise<readonly string[]>
}

/** Runs services that call each other within this process; `opened` stops them. */
export function createSuiteServices(
  { logger, tracing }: { readonly logger: Logger; readonly tracing?: Tracing | undefined },
  opened: AsyncDisposableStack,
): SuiteServices {
  const network = createInProcessNetwork({
    onFailure: (rpc, error) => logger.error('rpc_failed', { rpc, error }),
  })
  const services: Service<RpcService>[] = []
  return {
    network,
    async run(starting) {
      const service = await starting
      services.push(service)
      opened.defer(async () => {
        network.withdraw(service.name)
        await service.stop()
      })
      const served = [...(service.rpc ?? []), ...(service.lastingRpc ?? [])]
      network.serve(service.name, tracing ? served.map((one) => tracedService(one, tracing)) : served)
    },
    connect(caller, callee) {
      const transport = network.transport(caller, callee)
      return tracing ? tracedTransport(transport, tracing) : transport
    },
    listeners: () =>
      new Map(services.flatMap(({ name, http }) => (http === undefined ? [] : [[name, http] as const]))),
    async notReady() {
      const found = await Promise.all(
        services.map(async (service) => (await service.notReady()).map((what) => `${service.name}: ${what}`)),
      )
      return found.flat()
    },
  }
}
