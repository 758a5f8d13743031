import type { ServiceName } from '@signet/platform/process/service'
import type { RpcTransport } from './client.ts'
import { RpcError, toRpcError } from './error.ts'
import { fullMethodName, type RpcMethod, type RpcService } from './service.ts'

/** Connects services of one process through the same contracts as the network: bytes, deadlines, caller table. */
export interface InProcessNetwork {
  /** Makes a service reachable. Callers may have been created before; they find it at call time. */
  serve(name: ServiceName, services: readonly RpcService[]): void
  /** Ends reachability: later calls are UNAVAILABLE. */
  withdraw(name: ServiceName): void
  transport(caller: ServiceName, callee: ServiceName): RpcTransport
}

export interface InProcessOptions {
  /** Receives what a method threw that was no answer; its caller learns only that it is INTERNAL or UNAVAILABLE. */
  readonly onFailure: (method: string, error: unknown) => void
}

export function createInProcessNetwork({ onFailure }: InProcessOptions): InProcessNetwork {
  const served = new Map<ServiceName, ReadonlyMap<string, RpcMethod>>()

  function find(callee: ServiceName, fullName: string): RpcMethod {
    const methods = served.get(callee)
    if (methods === undefined) throw new RpcError('UNAVAILABLE', `${callee} is not running`)
    const method = methods.get(fullName)
    if (method === undefined) throw new RpcError('UNIMPLEMENTED', `${callee} has no ${fullName}`)
    return method
  }

  function fail(fullName: string, error: unknown): RpcError {
    const rpcError = toRpcError(error)
    if (rpcError !== error) onFailure(fullName, error)
    return rpcError
  }

  return {
    serve: (name, services) =>
      void served.set(
        name,
        new Map(services.flatMap((service) => service.methods.map((method) => [method.fullName, method]))),
      ),
    withdraw: (name) => void served.delete(name),
    transport: (caller, callee) => ({
      async unary(descriptor, request, { timeoutMs, signal, ...joined }) {
        const fullName = fullMethodName(descriptor)
        const deadline = AbortSignal.timeout(timeoutMs)
        const context = { ...joined, caller, signal: signal ? AbortSignal.any([signal, deadline]) : deadline }
        try {
          return await raceAbort(find(callee, fullName).unary(request, context), context.signal)
        } catch (error) {
          if (deadline.aborted)
            throw new RpcError('DEADLINE_EXCEEDED', `${fullName} took over ${timeoutMs} ms`)
          throw fail(fullName, error)
        }
      },
      async *serverStream(descriptor, request, { signal, ...joined }) {
        const fullName = fullMethodName(descriptor)
        const stopped = new AbortController()
        const ended = signal ? AbortSignal.any([signal, stopped.signal]) : stopped.signal
        const context = { ...joined, caller, signal: ended }
        try {
          for await (const message of find(callee, fullName).stream(request, context)) {
            if (signal?.aborted) throw new RpcError('CANCELLED', `${fullName} was cancelled`)
            yield message
          }
        } catch (error) {
          throw fail(fullName, error)
        } finally {
          stopped.abort()
        }
      },
    }),
  }
}

async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let cancel: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    cancel = () => reject(new RpcError('CANCELLED', 'the call was cancelled'))
    signal.addEventListener('abort', cancel, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    if (cancel) signal.removeEventListener('abort', cancel)
  }
}
