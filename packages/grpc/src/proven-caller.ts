import type { ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js'
import { isServiceName, type ServiceName } from '@signet/platform/process/service'
import { serviceOfUri } from './certificates/identity-uri.ts'
import { RpcError } from './error.ts'
import type { TlsIdentity } from './tls-identity.ts'

type AnyCall = ServerUnaryCall<Uint8Array, Uint8Array> | ServerWritableStream<Uint8Array, Uint8Array>

/**
 * Returns what finds the service that the client certificate of a call names, or throws RpcError UNAUTHENTICATED. A certificate
 * that names one is read once for each connection, because TLS 1.3 and HTTP/2 allow no other on it: reading it takes 70 µs.
 */
export function createProvenCaller({ trustPrefix }: TlsIdentity): (call: AnyCall) => ServiceName {
  const known = new WeakMap<object, ServiceName>()
  return (call) => {
    const connection = connectionOf(call)
    const before = connection && known.get(connection)
    if (before !== undefined) return before
    const caller = readCaller(call, trustPrefix)
    if (connection !== undefined) known.set(connection, caller)
    return caller
  }
}

/** The HTTP/2 session of a call, for which grpc-js has no public name; undefined: the certificate is read again. */
function connectionOf(call: AnyCall): object | undefined {
  const { call: inner } = call as unknown as {
    readonly call?: { readonly stream?: { readonly session?: unknown } }
  }
  const session = inner?.stream?.session
  return typeof session === 'object' && session !== null ? session : undefined
}

function readCaller(call: AnyCall, trustPrefix: string | undefined): ServiceName {
  const certificate = call.getAuthContext().sslPeerCertificate
  const name: unknown =
    trustPrefix === undefined
      ? certificate?.subject.CN
      : serviceOfUri(certificate?.subjectaltname, trustPrefix)
  if (typeof name === 'string' && isServiceName(name)) return name
  throw new RpcError(
    'UNAUTHENTICATED',
    trustPrefix === undefined
      ? 'the client certificate does not name a service of this suite'
      : `the client certificate has no URI of a service under ${trustPrefix}`,
  )
}
