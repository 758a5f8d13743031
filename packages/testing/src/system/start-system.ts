import type { InProcessOptions, InProcessSystem } from './in-process-system.ts'
import type { ProcessesOptions, ProcessSystem } from './process-system.ts'
import type { StandaloneOptions, StandaloneSystem } from './standalone-system.ts'

interface Modes {
  readonly 'in-process': { readonly options: InProcessOptions; readonly system: InProcessSystem }
  readonly standalone: { readonly options: StandaloneOptions; readonly system: StandaloneSystem }
  readonly processes: { readonly options: ProcessesOptions; readonly system: ProcessSystem }
}

type Runners = {
  readonly [M in keyof Modes]: (options: Modes[M]['options']) => Promise<Modes[M]['system']>
}

// Each module is loaded when a test needs it; the first loads the sources of all services.
const RUNNERS: Runners = {
  'in-process': async (options) => (await import('./in-process-system.ts')).runInProcess(options),
  standalone: async (options) => (await import('./standalone-system.ts')).runStandalone(options),
  processes: async (options) => (await import('./process-system.ts')).runProcesses(options),
}

/**
 * Starts the services with databases of their own and waits until all are ready: in the process of the test, as one
 * process as `npm start` does, or as one process for each replica of each service, over gRPC with mTLS behind a gateway.
 * The first is the fastest by far; the others are for tests of processes, settings and connections.
 */
export function startSystem<M extends keyof Modes>(
  options: Modes[M]['options'] & { readonly mode: M },
): Promise<Modes[M]['system']> {
  const run: Runners[M] = RUNNERS[options.mode]
  return run(options)
}
