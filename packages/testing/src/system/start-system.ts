import type { InProcessOptions, InProcessSystem } from './in-process-system.ts'
import type { ProcessesOptions, ProcessSystem } from './process-system.ts'
import type { StandaloneOptions, StandaloneSystem } from './standalone-system.ts'

/**
 * Starts the services with databases of their own and waits until all are ready: in the process of the test, as one
 * process as `npm start` does, or as one process for each replica of each service, over gRPC with mTLS behind a gateway.
 * The first is the fastest by far; the others are for tests of processes, settings and connections.
 */
export function startSystem(options: InProcessOptions): Promise<InProcessSystem>
export function startSystem(options: StandaloneOptions): Promise<StandaloneSystem>
export function startSystem(options: ProcessesOptions): Promise<ProcessSystem>
export async function startSystem(options: InProcessOptions | StandaloneOptions | ProcessesOptions) {
  // A test loads the sources of all services for the first mode only.
  switch (options.mode) {
    case 'in-process':
      return (await import('./in-process-system.ts')).runInProcess(options)
    case 'standalone':
      return (await import('./standalone-system.ts')).runStandalone(options)
    case 'processes':
      return (await import('./process-system.ts')).runProcesses(options)
  }
}
