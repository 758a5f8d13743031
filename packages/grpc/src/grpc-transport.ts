import type { DescMethod } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import {
  type CallOptions,
  ChannelCredentials,
  type ChannelOptions,
  Client,
  connectivityState,
  experimental,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js'
import { type ServiceName, StartFailure } from '@signet/platform/process/service'
import { certificateProvider } from './certificate-provider.ts'
import type { RpcTransport, StreamOptions, UnaryOptions } from './client.ts'
import { RpcError, rpcCodeOf } from './error.ts'
import {
  awaitConnection,
  CALLER_HEADER,
  grpcTarget,
  hostsOf,
  isLoopback,
  NO_REPETITION_HEADER,
  REQUEST_ID_HEADER,
  TRACE_HEADER,
} from './grpc-connection.ts'
import { createHedgeBudget, HEDGE_DELAY_MS, type HedgeEvent, hedgeRead } from './hedging.ts'
import { beginRead, OTHER_REPLICA_POLICY, type ReadInProgress } from './other-replica.ts'
import { fullMethodName } from './service.ts'
import type { TlsIdentity } from './tls-identity.ts'

export interface GrpcTransportOptions {
  /** `name:port`, such as that of a headless Service, or several `ip:port` separated by commas. All are used in turn. */
  readonly address: string
  readonly caller: ServiceName
  /** The name in the callee's certificate. */
  readonly callee: ServiceName
  readonly tls?: TlsIdentity
  /** How long a callee may be silent before its connections count as broken; `SILENCE_MS` when left out. */
  readonly silenceMs?: number
  /** How long a read may take before it is made again beside; `HEDGE_DELAY_MS` when left out. */
  readonly hedgeDelayMs?: number
  /** Called for each hedge. */
  readonly onHedge?: (event: HedgeEvent) => void
}

/**
 * A callee that hangs keeps its connections open. After this long without a response to a ping they are closed: new calls go
 * to other replicas, and its calls fail, or are repeated when their method allows it.
 */
export const SILENCE_MS = 3_000

interface SendOptions extends Omit<UnaryOptions, 'timeoutMs'> {
  readonly deadline: number
  readonly read?: ReadInProgress
}

export interface GrpcTransport extends RpcTransport {
  close(): void
}

// Outlasts the start of a service; calls that wait longer would only pile up behind a dead one.
const LONGEST_WAIT_MS = 2_000
/** Share of the deadline of a call that may be spent waiting for a connection; the rest is left for the call. */
const WAITING_SHARE = 0.75

const passThrough = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const channelOptions = ({ callee, tls, silenceMs = SILENCE_MS }: GrpcTransportOptions): ChannelOptions => ({
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ [OTHER_REPLICA_POLICY]: {} }] }),
  'grpc.keepalive_time_ms': silenceMs / 3,
  'grpc.keepalive_timeout_ms': (silenceMs * 2) / 3,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 200,
  // Shorter than a call waits, so that every waiting call lives to see an attempt.
  'grpc.max_reconnect_backoff_ms': 1_000,
  // A replica that came back is looked for again after this long, not after the default of 30 seconds.
  'grpc.dns_min_time_between_resolutions_ms': 2_000,
  'grpc.service_config_disable_resolution': 1,
  ...(tls && { 'grpc.ssl_target_name_override': callee }),
})

/**
 * Opens a channel that connects on demand and reconnects by itself. A call whose connection breaks is made a second time, at
 * another replica, if its method has an `idempotency_level`. One that takes long is made again beside the first if that is
 * NO_SIDE_EFFECTS. Throws StartFailure for plaintext beyond loopback.
 */
export function grpcTransport(options: GrpcTransportOptions): GrpcTransport {
  const { address, caller, callee, tls, hedgeDelayMs = HEDGE_DELAY_MS } = options
  if (tls === undefined && !hostsOf(address).every(isLoopback)) {
    throw new StartFailure(
      `calling ${callee} at ${address} needs certificates; plaintext is for loopback only`,
    )
  }
  const client = new Client(grpcTarget(address), channelCredentials(tls), channelOptions(options))
  const isConnected = () => client.getChannel().getConnectivityState(false) === connectivityState.READY
  const send = (
    method: DescMethod,
    request: Uint8Array,
    { signal, deadline, read, ...joined }: SendOptions,
  ) =>
    new Promise<Uint8Array>((resolve, reject) => {
      const path = `/${fullMethodName(method)}`
      const done = (error: ServiceError | null, response?: Buffer) => {
        signal?.removeEventListener('abort', cancel)
        if (error) reject(fromServiceError(error))
        else if (response === undefined) reject(new RpcError('INTERNAL', `${path} answered nothing`))
        else resolve(response)
      }
      const metadata = metadataOf(caller, joined)
      if (read !== undefined) metadata.set(...read.header)
      const options: CallOptions = { deadline }
      const call = client.makeUnaryRequest(path, passThrough, identity, request, metadata, options, done)
      const cancel = () => call.cancel()
      signal?.addEventListener('abort', cancel, { once: true })
      if (signal?.aborted) cancel()
    })
  const budget = createHedgeBudget(options.onHedge)
  return {
    async unary(method, request, { timeoutMs, isSingle = false, ...call }) {
      const deadline = Date.now() + timeoutMs
      const { signal } = call
      await awaitConnection(client, { waitMs: Math.min(LONGEST_WAIT_MS, timeoutMs * WAITING_SHARE), signal })
      // DEADLINE_EXCEEDED would leave open whether the callee did it.
      if (Date.now() >= deadline)
        throw new RpcError('UNAVAILABLE', `no connection within ${timeoutMs} ms; nothing was sent`)
      if (isSingle || !mayRunTwice(method)) return await send(method, request, { ...call, deadline })
      const attempt = async (options: SendOptions) => {
        try {
          return await send(method, request, options)
        } catch (error) {
          if (!(isBrokenConnection(error) && isConnected())) throw error
          return await send(method, request, options)
        }
      }
      if (!isRead(method)) return await attempt({ ...call, deadline })
      const read = beginRead()
      try {
        return await hedgeRead((ended) => attempt({ ...call, signal: ended, deadline, read }), {
          budget,
          delayMs: hedgeDelayMs,
          signal,
        })
      } finally {
        read.end()
      }
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

function mayRunTwice({ idempotency }: DescMethod): boolean {
  return idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN
}

/** Whether two of these calls at once are as good as one: the one rule of which calls are hedged. */
function isRead({ idempotency }: DescMethod): boolean {
  return idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS
}

/** Whether a call ended without a response of the callee. */
function isBrokenConnection(error: unknown): boolean {
  if (!(error instanceof RpcError) || error.code !== 'UNAVAILABLE') return false
  return (error.cause as ServiceError).metadata.get(NO_REPETITION_HEADER).length === 0
}

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
