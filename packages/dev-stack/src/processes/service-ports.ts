import type { ServiceName } from '@signet/platform/process/service'
import { freePort } from '../databases/free-port.ts'

/** The ports of one replica on the loopback interface. */
export interface ServicePorts {
  readonly http: number
  readonly rpc: number
  /** Port of the transfer API, of the directory only. */
  readonly transfer: number
  readonly operations: number
  /** Port that asks clients for certificates, where `Surroundings` has some for it. */
  readonly mutualTls: number
}

/** Chooses the ports of a replica; replicas are counted from 0. */
export type PortPlan = (service: ServiceName, replica: number) => Promise<ServicePorts>

/** Ports that are free. */
export const freePorts: PortPlan = async () => {
  const [http, rpc, transfer, operations, mutualTls] = await Promise.all([
    freePort(),
    freePort(),
    freePort(),
    freePort(),
    freePort(),
  ])
  return { http, rpc, transfer, operations, mutualTls }
}
