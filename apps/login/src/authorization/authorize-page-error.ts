/** A request whose redirect URI is not proven: the person is told, nobody is redirected (RFC 6749 section 4.1.2.1). */
export class AuthorizePageError extends Error {
  override readonly name = 'AuthorizePageError'
  readonly code = 'invalid_request'
  readonly reason: string

  /** `description` is shown; `reason` is the label for logs. */
  constructor(description: string, { reason }: { reason: string }) {
    super(description)
    this.reason = reason
  }
}
