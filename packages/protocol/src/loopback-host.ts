/** Whether a URL's host name stays on this machine; RFC 6761 section 6.3 gives `*.localhost` to loopback. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname) || /^(.+\.)?localhost$/.test(hostname)
}
