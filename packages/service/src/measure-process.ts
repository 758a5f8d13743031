import { X509Certificate } from 'node:crypto'
import type { TlsIdentity } from '@signet/grpc/tls-identity'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { ServiceName } from '@signet/platform/process/service'
import { VERSION } from '@signet/platform/process/version'

/** Registers what a process is, and until when the others believe it. */
export function measureProcess(metrics: Metrics, service: ServiceName, tls: TlsIdentity | undefined): void {
  const build = { service, version: VERSION, node: process.versions.node }
  metrics.gauge(
    { name: 'signet_build_info', help: 'Always 1.', labels: ['service', 'version', 'node'] },
    () => [{ labels: build, value: 1 }],
  )
  if (tls === undefined) return
  metrics.gauge(
    {
      name: 'signet_rpc_certificate_expiry_timestamp_seconds',
      help: 'When the certificate for gRPC ends, of those whose files are in use now.',
      labels: ['certificate'],
    },
    () => [
      { labels: { certificate: 'service' }, value: expiry(tls.certificate) },
      { labels: { certificate: 'authority' }, value: expiry(tls.ca) },
    ],
  )
}

/** Of a bundle the one that ends first: others may have been signed by it. */
function expiry(pem: Buffer | string): number {
  const certificates =
    pem.toString().match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return Math.min(...certificates.map((each) => new X509Certificate(each).validToDate.getTime() / 1_000))
}
