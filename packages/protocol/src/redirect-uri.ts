// RFC 9700 section 2.1: redirect URIs are compared byte for byte; RFC 8252 section 7.3: but for a loopback port.

const LOOPBACK_PORT = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?(?=[/?#]|$)/

/** Whether a redirect URI equals a registered one; only native applications may use another loopback port. */
export function isRegisteredRedirectUri(
  requested: string,
  registered: readonly string[],
  { anyLoopbackPort }: { anyLoopbackPort: boolean },
): boolean {
  if (registered.includes(requested)) return true
  if (!anyLoopbackPort) return false
  const portless = withoutLoopbackPort(requested)
  return portless !== undefined && registered.some((uri) => withoutLoopbackPort(uri) === portless)
}

function withoutLoopbackPort(uri: string): string | undefined {
  const match = LOOPBACK_PORT.exec(uri)
  if (match === null || Number(match[2] ?? 80) > 65_535) return undefined
  return `${match[1]}${uri.slice(match[0].length)}`
}
