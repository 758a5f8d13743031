import type { RequestListener } from 'node:http'

export const SERVICE_NAMES = [
  ...(['login', 'token', 'introspection', 'keys', 'directory', 'migration'] as const),
  'federation',
] as const

export type ServiceName = (typeof SERVICE_NAMES)[number]

export function isServiceName(value: string): value is ServiceName {
  return SERVICE_NAMES.some((name) => name === value)
}

/** A composed and started service; its starter opens its ports or puts it behind an in-process router. */
export interface Service<RpcService = never> {
  readonly name: ServiceName
  readonly http?: RequestListener
  readonly rpc?: readonly RpcService[]
  /** Calls that last as long as their work does: served on a port of their own, without an end to connections. */
  readonly lastingRpc?: readonly RpcService[]
  /** Names of dependencies that are not usable yet; empty means ready. Never rejects. */
  notReady(): Promise<readonly string[]>
  /** Ends timers, streams and connections. Call it after the listeners are drained. */
  stop(): Promise<void>
}

/**
 * A problem that an operator can fix: database unreachable, wrong master key, port taken. Its message is one line
 * that says what to do; the process prints it without a stack and exits with code 1.
 */
export class StartFailure extends Error {
  override readonly name = 'StartFailure'
}
