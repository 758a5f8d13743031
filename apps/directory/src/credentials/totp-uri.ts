/** The `otpauth:` URI that authenticator apps read from a QR code or a link. */
export function totpUri({
  organizationName,
  loginName,
  secret,
}: {
  readonly organizationName: string
  readonly loginName: string
  readonly secret: string
}): string {
  const issuer = encodeURIComponent(organizationName)
  return `otpauth://totp/${issuer}:${encodeURIComponent(loginName)}?secret=${secret}&issuer=${issuer}`
}
