import type { ServiceName } from '@signet/platform/process/service'
import { productionEnvironment, standaloneEnvironment } from '../stage/production-environment.ts'
import { startSignet } from '../stage/signet.ts'
import { openStandalone } from '../stage/standalone.ts'
import { temporaryFolder } from '../stage/temporary-folder.ts'
import type { Figure, FigureRow } from './figure-row.ts'
import { atOnce, atRate, figuresOfMachineTokens, type Offered } from './machine-tokens.ts'

const COUNTS = [1, 2, 4]

/** A load that keeps four processes and the generator below two cores of a slow machine. */
const PER_SECOND_EACH = 500

/**
 * Whether further processes of a service add as much as the first: they do while the CPU time of an operation
 * stays the same. Measured at a fixed rate for each process too, since the cores are too few to saturate all
 * of them.
 */
export const processes: FigureRow = {
  kind: 'figures',
  name: 'processes',
  title: 'client_credentials and introspection with one process of each service, two, and four',
  async measure(sizes) {
    const figures: Figure[] = []
    for (const count of COUNTS) {
      await using opened = new AsyncDisposableStack()
      const signet = await startSignet(await temporaryFolder(opened), productionEnvironment(), {
        token: count,
        introspection: count,
      })
      opened.defer(() => signet.stop())
      const offered = (service: ServiceName): Offered => {
        const replicas = signet.suite.replicas(service)
        return {
          origins: replicas.map(({ ports }) => `http://127.0.0.1:${ports.http}`),
          pids: replicas.map(({ pid }) => pid),
        }
      }
      const name = `${count} ${count === 1 ? 'process' : 'processes'}`
      const services = { token: offered('token'), introspection: offered('introspection') }
      const loads = [atOnce, atRate(PER_SECOND_EACH, Math.random)]
      figures.push(...(await figuresOfMachineTokens({ name, ...services, loads }, sizes)))
    }
    return figures
  },
}

/** All services in one process. */
export const standalone: FigureRow = {
  kind: 'figures',
  name: 'standalone',
  title: 'client_credentials and introspection with all services in one process',
  async measure(sizes) {
    await using opened = new AsyncDisposableStack()
    const running = await openStandalone(await temporaryFolder(opened), standaloneEnvironment())
    opened.defer(() => running.stop())
    const { pid } = await running.start()
    const offered = { origins: [running.origin], pids: [pid] }
    const services = { token: offered, introspection: offered }
    return await figuresOfMachineTokens({ name: 'standalone', ...services, loads: [atOnce] }, sizes)
  },
}
