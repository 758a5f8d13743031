import { PlainBrowser } from '@signet/platform/load/http-browser'

export type { Page } from '@signet/platform/load/http-browser'

/** A browser of a test, which also says by headers where its requests come from. */
export class HttpBrowser extends PlainBrowser {
  /** The address that a proxy says it has; it counts where the suite trusts 127.0.0.1. */
  forwardedFor: string | undefined
  /** The `Accept-Language` of its user. */
  acceptLanguage: string | undefined
  /** The trace that its requests belong to. */
  traceparent: string | undefined
  /** Headers by which a browser says which page sends a request: `sec-fetch-site`, `origin`. */
  sentFrom: Readonly<Record<string, string>> = {}

  protected override ownHeaders(): Readonly<Record<string, string>> {
    return {
      ...(this.acceptLanguage !== undefined && { 'accept-language': this.acceptLanguage }),
      ...(this.traceparent !== undefined && { traceparent: this.traceparent }),
      ...this.sentFrom,
      ...(this.forwardedFor !== undefined && { 'x-forwarded-for': this.forwardedFor }),
    }
  }
}
