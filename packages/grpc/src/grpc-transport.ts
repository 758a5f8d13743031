import {
  type CallOptions,
  ChannelCredentials,
  Client,
  experimental,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js'
import { type ServiceName, StartFailure } from '@signet/platform/process/service'
import { certificateProvider } from './certificate-provider.ts'
import type { RpcTransport, StreamOptions } from './client.ts'
import { RpcError, rpcCodeOf } from './error.ts'
import {
  awaitConnection,
  CALLER_HEADER,
  grpcTarget,
  hostsOf,
  isLoopback,
  REQUEST_ID_HEADER,
  TRACE_HEADER,
} from './grpc-connection.ts'
import { fullMethodName } from './service.ts'
import type { TlsIdentity } from './tls-identity.ts'

export interface GrpcTransportOptions {
  /** `name:port`, such as that of a headless Service, or several `ip:port` separated by commas. All are used in turn. */
  readonly address: string
  readonly caller: ServiceName
  /** The name in the callee's certificate. */
  readonly callee: ServiceName
  readonly tls?: TlsIdentity
}

export interface GrpcTransport extends RpcTransport {
  close(): void
}

// Outlasts the start of a service; calls that wait longer would only pile up behind a dead one.
const LONGEST_WAIT_MS = 2_000
/** Of the time that a call has; the rest is left for the call itself. */
const WAITING_SHARE = 0.75

const passThrough = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Opens a channel that connects on demand and reconnects by itself. Throws StartFailure for plaintext beyond loopback. */
export function grpcTransport({ address, caller, callee, tls }: GrpcTransportOptions): GrpcTransport {
  if (tls === undefined && !hostsOf(address).every(isLoopback)) {
    throw new StartFailure(
      `calling ${callee} at ${address} needs certificates; plaintext is for loopback only`,
    )
  }
  const client = new Client(grpcTarget(address), channelCredentials(tls), {
    'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
    'grpc.keepalive_time_ms': 20_000,
    'grpc.keepalive_timeout_ms': 5_000,
    'grpc.keepalive_permit_without_calls': 1,
    'grpc.initial_reconnect_backoff_ms': 200,
    // Shorter than a call waits, so that every waiting call lives to see an attempt.
    'grpc.max_reconnect_backoff_ms': 1_000,
    // A replica that came back is looked for again after this long, not after the default of 30 seconds.
    'grpc.dns_min_time_between_resolutions_ms': 2_000,
    'grpc.service_config_disable_resolution': 1,
    ...(tls && { 'grpc.ssl_target_name_override': callee }),
  })
  return {
    async unary(method, request, { timeoutMs, signal, ...joined }) {
      const deadline = Date.now() + timeoutMs
      const options: CallOptions = { deadline }
      await awaitConnection(client, { waitMs: Math.min(LONGEST_WAIT_MS, timeoutMs * WAITING_SHARE), signal })
      // DEADLINE_EXCEEDED would leave open whether the callee did it.
      if (Date.now() >= deadline)
        throw new RpcError('UNAVAILABLE', `no connection within ${timeoutMs} ms; nothing was sent`)
      return new Promise((resolve, reject) => {
        const path = `/${fullMethodName(method)}`
        const done = (error: ServiceError | null, response?: Buffer) => {
          signal?.removeEventListener('abort', cancel)
          if (error) reject(fromServiceError(error))
          else if (response === undefined) reject(new RpcError('INTERNAL', `${path} answered nothing`))
          else resolve(response)
        }
        const metadata = metadataOf(caller, joined)
        const call = client.makeUnaryRequest(path, passThrough, identity, request, metadata, options, done)
        const cancel = () => call.cancel()
        signal?.addEventListener('abort', cancel, { once: true })
        if (signal?.aborted) cancel()
      })
    },
    async *serverStream(method, request, { signal, ...joined }) {
      const metadata = metadataOf(caller, joined)
      const path = `/${fullMethodName(method)}`
      const call = client.makeServerStreamRequest(path, passThrough, identity, request, metadata, {})
      const cancel = () => call.cancel()
      signal?.addEventListener('abort', cancel, { once: true })
      try {
        for await (const message of call) yield message as Uint8Array
      } catch (error) {
        throw fromServiceError(error as ServiceError)
      } finally {
        signal?.removeEventListener('abort', cancel)
        call.cancel()
      }
    },
    close: () => client.close(),
  }
}

const identity = (bytes: Buffer) => bytes

function channelCredentials(tls: TlsIdentity | undefined): ChannelCredentials {
  if (tls === undefined) return ChannelCredentials.createInsecure()
  const provider = certificateProvider(tls)
  return experimental.createCertificateProviderChannelCredentials(provider, provider)
}

function metadataOf(caller: ServiceName, { requestId, traceparent }: StreamOptions): Metadata {
  const metadata = new Metadata()
  metadata.set(CALLER_HEADER, caller)
  if (requestId !== undefined) metadata.set(REQUEST_ID_HEADER, requestId)
  if (traceparent !== undefined) metadata.set(TRACE_HEADER, traceparent)
  return metadata
}

function fromServiceError(error: ServiceError): RpcError {
  if (typeof error.code !== 'number') return new RpcError('UNKNOWN', error.message, { cause: error })
  return new RpcError(rpcCodeOf(error.code), error.details || error.message, { cause: error })
}
