import { isServiceName, type ServiceName } from '@signet/platform/process/service'

/** The URI that names a service in its certificate, in the form of a SPIFFE ID. `trustPrefix` ends without a slash. */
export function identityUri(trustPrefix: string, service: ServiceName): string {
  return `${trustPrefix}/service/${service}`
}

/**
 * The service that a certificate names by its URI under `trustPrefix`; undefined for another URI, none, or several: a SPIFFE
 * X.509-SVID has exactly one. `subjectAltName` is the text that Node makes of the extension (RFC 5280 section 4.2.1.6).
 */
export function serviceOfUri(
  subjectAltName: string | undefined,
  trustPrefix: string,
): ServiceName | undefined {
  // Node writes a comma within a name as \u002c, so no name looks like two.
  const names = (subjectAltName ?? '').split(', ')
  const uris = names.filter((name) => name.startsWith('URI:')).map((name) => name.slice('URI:'.length))
  const [uri = ''] = uris
  const service = uri.slice(uri.lastIndexOf('/') + 1)
  return uris.length === 1 && isServiceName(service) && uri === identityUri(trustPrefix, service)
    ? service
    : undefined
}
