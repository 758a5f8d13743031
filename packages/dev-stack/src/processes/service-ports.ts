import { SERVICE_NAMES, type ServiceName } from '@signet/platform/process/service'
import { freePort } from '../databases/free-port.ts'

/** The ports of one replica on the loopback interface. */
export interface ServicePorts {
  readonly http: number
  readonly rpc: number
  /** Of directory only. */
  readonly transfer: number
  readonly operations: number
}

/** Chooses the ports of a replica; replicas are counted from 0. */
export type PortPlan = (service: ServiceName, replica: number) => Promise<ServicePorts>

/** Ports that nobody uses at the moment. */
export const freePorts: PortPlan = async () => {
  const [http, rpc, transfer, operations] = await Promise.all([
    freePort(),
    freePort(),
    freePort(),
    freePort(),
  ])
  return { http, rpc, transfer, operations }
}

/**
 * Always the same ports: http 8101 to 8106, gRPC 9101 to 9106, operations 9201 to 9206 and transfers 9305 in the order of the services,
 * ten more for every further replica.
 */
export const fixedPorts: PortPlan = async (service, replica) => {
  const place = SERVICE_NAMES.indexOf(service) + 1 + 10 * replica
  return { http: 8100 + place, rpc: 9100 + place, transfer: 9300 + place, operations: 9200 + place }
}
