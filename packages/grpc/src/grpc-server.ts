import {
  experimental,
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  Server,
  ServerCredentials,
  type ServerOptions,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { isServiceName, type ServiceName, StartFailure } from '@signet/platform/process/service'
import { HealthImplementation } from 'grpc-health-check'
import { certificateProvider } from './certificate-provider.ts'
import { RPC_CODES, RpcError, toRpcError } from './error.ts'
import {
  CALLER_HEADER,
  isLoopback,
  NO_REPETITION_HEADER,
  REQUEST_ID_HEADER,
  TRACE_HEADER,
} from './grpc-connection.ts'
import { createProvenCaller } from './proven-caller.ts'
import type { CallContext, RpcMethod, RpcService } from './service.ts'
import type { TlsIdentity } from './tls-identity.ts'

export interface GrpcServerOptions {
  readonly services: readonly RpcService[]
  readonly host: string
  readonly port: number
  /** Absent only on loopback, where the caller's name is taken from a header. */
  readonly tls?: TlsIdentity
  /** Receives what a method threw that was no answer; its caller learns only that it is INTERNAL or UNAVAILABLE. */
  readonly onFailure: (method: string, error: unknown) => void
  /** Connections are closed after this long so that clients connect to new replicas; milliseconds. */
  readonly maxConnectionAgeMs?: number
}

export interface RunningGrpcServer {
  readonly port: number
  /** Sets the response of `grpc.health.v1`. */
  setServing(serving: boolean): void
  /**
   * Asks streams to end, so that their readers reopen them on another replica, lets running calls finish for
   * `deadlineMs`, then cuts them. Returns whether that was not needed.
   */
  stop(deadlineMs: number): Promise<boolean>
}

/**
 * The time that running calls get when a connection is renewed; a stream ends and is opened again on another
 * connection.
 */
const CONNECTION_GRACE_MS = 15_000
/** However young connections are ended: a process may be busy for so long with a call that would have been answered. */
const LEAST_CONNECTION_GRACE_MS = 2_000
/** The parts of a server that its handlers share. */
interface Handling extends Pick<GrpcServerOptions, 'onFailure'> {
  readonly callerOf: (call: AnyCall) => ServiceName
}

type AnyCall = ServerUnaryCall<Uint8Array, Uint8Array> | ServerWritableStream<Uint8Array, Uint8Array>

/** Serves over HTTP/2. Throws StartFailure for a taken port and for plaintext beyond loopback. */
export async function startGrpcServer(options: GrpcServerOptions): Promise<RunningGrpcServer> {
  const { services, host, port, tls } = options
  if (tls === undefined && !isLoopback(host)) {
    throw new StartFailure(`gRPC on ${host} needs certificates; plaintext is served on loopback only`)
  }
  const server = new Server(connectionAge(options.maxConnectionAgeMs))
  const stopping = new AbortController()
  const handling = {
    onFailure: options.onFailure,
    callerOf: tls === undefined ? (call: AnyCall) => statedCaller(call.metadata) : createProvenCaller(tls),
  }
  for (const service of services) {
    server.addService(definitionOf(service), implementationOf(service, handling, stopping.signal))
  }
  const health = new HealthImplementation({ '': 'NOT_SERVING' })
  health.addToServer(server)
  const boundPort = await bind(
    server,
    host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
    credentialsOf(tls),
  )
  return {
    port: boundPort,
    setServing: (serving) => health.setStatus('', serving ? 'SERVING' : 'NOT_SERVING'),
    stop: (deadlineMs) => {
      stopping.abort()
      return stop(server, deadlineMs)
    },
  }
}

function connectionAge(maxConnectionAgeMs: number | undefined): ServerOptions {
  if (maxConnectionAgeMs === undefined) return {}
  return {
    'grpc.max_connection_age_ms': maxConnectionAgeMs,
    'grpc.max_connection_age_grace_ms': Math.max(
      LEAST_CONNECTION_GRACE_MS,
      Math.min(maxConnectionAgeMs, CONNECTION_GRACE_MS),
    ),
  }
}

const passThrough = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

function definitionOf(service: RpcService): ServiceDefinition {
  return Object.fromEntries(
    service.methods.map((method) => [
      method.fullName,
      {
        path: `/${method.fullName}`,
        requestStream: false,
        responseStream: method.kind === 'server_streaming',
        requestSerialize: passThrough,
        requestDeserialize: passThrough,
        responseSerialize: passThrough,
        responseDeserialize: passThrough,
      },
    ]),
  )
}

function implementationOf(
  service: RpcService,
  handling: Handling,
  stopping: AbortSignal,
): UntypedServiceImplementation {
  return Object.fromEntries(
    service.methods.map((method) => [
      method.fullName,
      method.kind === 'unary'
        ? createUnaryHandler(method, handling)
        : createStreamHandler(method, handling, stopping),
    ]),
  )
}

function createUnaryHandler(method: RpcMethod, handling: Handling): handleUnaryCall<Uint8Array, Uint8Array> {
  return (call, callback) => {
    const cancelled = cancelSignal(call)
    Promise.resolve()
      .then(() => method.unary(call.request, contextOf(call, cancelled, handling)))
      .then(
        (response) => callback(null, response),
        (error: unknown) => callback(statusOf(method, error, handling)),
      )
  }
}

function createStreamHandler(
  method: RpcMethod,
  handling: Handling,
  stopping: AbortSignal,
): handleServerStreamingCall<Uint8Array, Uint8Array> {
  return (call) => {
    const cancelled = cancelSignal(call)
    const ended = AbortSignal.any([cancelled, stopping])
    const run = async () => {
      for await (const message of method.stream(call.request, contextOf(call, ended, handling))) {
        if (cancelled.aborted) return
        // Back-pressure: a slow reader must not make this process hold the whole stream.
        if (!call.write(message)) await drained(call, cancelled)
      }
      call.end()
    }
    run().catch((error: unknown) => {
      // Not destroy(): grpc-js sends the status when the stream ends, and a destroyed stream never does.
      if (!cancelled.aborted)
        call.emit('error', Object.assign(new Error(), statusOf(method, error, handling)))
    })
  }
}

/** grpc-js says `cancelled` at the end of each call. A new reason each time was 1.5 % of the CPU of directory (row `sign-in-provider`). */
const CANCELLED = new DOMException('the call has ended', 'AbortError')

function cancelSignal(call: AnyCall): AbortSignal {
  const controller = new AbortController()
  call.on('cancelled', () => controller.abort(CANCELLED))
  return controller.signal
}

function drained(call: ServerWritableStream<Uint8Array, Uint8Array>, cancelled: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      call.off('drain', done)
      cancelled.removeEventListener('abort', done)
      resolve()
    }
    call.once('drain', done)
    cancelled.addEventListener('abort', done, { once: true })
  })
}

function contextOf(call: AnyCall, signal: AbortSignal, { callerOf }: Handling): CallContext {
  const requestId = call.metadata.get(REQUEST_ID_HEADER)[0]
  const traceparent = call.metadata.get(TRACE_HEADER)[0]
  return {
    caller: callerOf(call),
    signal,
    ...(typeof requestId === 'string' && { requestId }),
    ...(typeof traceparent === 'string' && { traceparent }),
  }
}

function statedCaller(metadata: Metadata): ServiceName {
  const name = metadata.get(CALLER_HEADER)[0]
  if (typeof name === 'string' && isServiceName(name)) return name
  throw new RpcError('UNAUTHENTICATED', `${CALLER_HEADER} does not name a service of this suite`)
}

function statusOf(method: RpcMethod, error: unknown, { onFailure }: Handling) {
  const rpcError = toRpcError(error)
  if (rpcError !== error) onFailure(method.fullName, error)
  const metadata = new Metadata()
  metadata.set(NO_REPETITION_HEADER, '-1')
  return { code: RPC_CODES[rpcError.code], details: rpcError.message, metadata }
}

function credentialsOf(tls: TlsIdentity | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure()
  const provider = certificateProvider(tls)
  return experimental.createCertificateProviderServerCredentials(provider, provider, true)
}

function bind(server: Server, address: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) =>
      error ? reject(new StartFailure(`gRPC cannot listen on ${address}: ${error.message}`)) : resolve(port),
    )
  })
}

function stop(server: Server, deadlineMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const force = setTimeout(() => {
      server.forceShutdown()
      resolve(false)
    }, deadlineMs)
    server.tryShutdown(() => {
      clearTimeout(force)
      resolve(true)
    })
  })
}
