/** Whether a text is the base64url of a SHA-256 thumbprint (RFC 7638 section 3, `dpop_jkt` of RFC 9449 section 10). */
export function isThumbprint(value: string): boolean {
  return /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/.test(value)
}
