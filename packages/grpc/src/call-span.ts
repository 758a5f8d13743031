import type { SpanDescription } from '@signet/platform/tracing/tracing'

/** How both ends of a call to `package.Service/Method` describe it. */
export function callSpan(kind: 'client' | 'server', fullName: string): SpanDescription {
  const [service = '', method = ''] = fullName.split('/')
  return {
    name: fullName,
    kind,
    attributes: { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': method },
  }
}
