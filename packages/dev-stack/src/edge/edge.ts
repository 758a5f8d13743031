import { listenHttp } from '@signet/platform/process/http-listener'
import type { RouteOwner } from '@signet/protocol/routes'
import { proxy } from './proxy.ts'
import { type Upstream, watchUpstreams } from './upstreams.ts'

export interface EdgeOptions {
  readonly host: string
  readonly port: number
  /** Every replica of each service. */
  readonly upstreams: Readonly<Partial<Record<RouteOwner, readonly Upstream[]>>>
}

export interface Edge {
  readonly port: number
  /** Names of the services of which a replica is not ready. */
  notReady(): readonly RouteOwner[]
  stop(): Promise<void>
}

/** How long running requests get when the edge stops; milliseconds. */
const DRAIN_MS = 5_000

/**
 * Sends each request to a ready replica of the service that owns its path, in turn, under the limits of the route
 * table. It stands in for an ingress on a developer's machine and in tests. Throws StartFailure for a taken port.
 */
export async function startEdge({ host, port, upstreams }: EdgeOptions): Promise<Edge> {
  const services = new Map(
    Object.entries(upstreams).map(([name, replicas]) => [name as RouteOwner, watchUpstreams(replicas)]),
  )
  const http = await listenHttp({ listener: proxy((name) => services.get(name)), host, port })
  return {
    port: http.port,
    notReady: () => [...services].flatMap(([name, replicas]) => (replicas.allReady() ? [] : [name])),
    async stop() {
      await Promise.all([...services.values()].map((replicas) => replicas.stop()))
      await http.close(DRAIN_MS)
    },
  }
}
