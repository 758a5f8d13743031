import type { ServiceName } from '@signet/platform/process/service'
import { type Child, type Program, startChild } from './child.ts'
import type { ServicePorts } from './service-ports.ts'

/** Process of a service, which can be ended and started again in its place. */
export interface Replica {
  /** `token-1` */
  readonly name: string
  readonly service: ServiceName
  readonly ports: ServicePorts
  readonly pid: number
  readonly isRunning: boolean
  /** How it ended without a request; undefined while it runs, after `end`, and once it is started again. */
  readonly problem: string | undefined
  /** Ends it with this signal and answers its exit code, null when the signal did it. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
  /** Starts it again on the same ports. */
  start(): Promise<void>
}

export interface ReplicaOptions {
  readonly program: Program
  readonly service: ServiceName
  readonly number: number
  readonly ports: ServicePorts
  readonly env: Readonly<Record<string, string>>
  readonly onOutput: (text: string) => void
  /** Called when it ended without a request. */
  readonly onUnexpectedEnd: (problem: string, replica: Replica) => void
}

/** Starts the process. It is not ready yet when this returns. */
export async function startReplica(options: ReplicaOptions): Promise<Replica> {
  const { program, service, ports, env, onOutput, onUnexpectedEnd } = options
  const name = `${service}-${options.number}`
  let expected = false
  let isRunning = false
  let problem: string | undefined

  async function launch(): Promise<Child> {
    const started = await startChild({ program, app: service, env, onOutput })
    expected = false
    isRunning = true
    void started.ended.then((code) => {
      isRunning = false
      if (expected) return
      problem = `${name} ended with code ${code}`
      onUnexpectedEnd(problem, replica)
    })
    return started
  }

  let child = await launch()
  const replica: Replica = {
    name,
    service,
    ports,
    get pid() {
      return child.pid
    },
    get isRunning() {
      return isRunning
    },
    get problem() {
      return problem
    },
    async end(signal) {
      expected = true
      child.kill(signal)
      return child.ended
    },
    async start() {
      await child.ended
      problem = undefined
      child = await launch()
    },
  }
  return replica
}
