import { decodeEntities, hiddenFields, type Page, PlainBrowser } from '@signet/platform/load/http-browser'

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

  /** Presses the button with this id: sends its form, and follows no redirect. Throws for a page without it. */
  press(page: Page, id: string): Promise<Page> {
    const form = page.body.split('<form ').find((text) => text.includes(`id="${id}"`))
    const [, action] = /action="([^"]*)"/.exec(form ?? '') ?? []
    if (form === undefined || action === undefined)
      throw new Error(`${page.status}, and no #${id} in:\n${page.body}`)
    const button = new RegExp(`<button[^>]*id="${id}"[^>]*>`).exec(form)?.[0] ?? ''
    const [, name] = / name="([^"]*)"/.exec(button) ?? []
    const [, value = ''] = / value="([^"]*)"/.exec(button) ?? []
    const own = name === undefined ? {} : { [name]: decodeEntities(value) }
    return this.send(decodeEntities(action), { ...hiddenFields({ body: form }), ...own })
  }

  protected override ownHeaders(): Readonly<Record<string, string>> {
    return {
      ...(this.acceptLanguage !== undefined && { 'accept-language': this.acceptLanguage }),
      ...(this.traceparent !== undefined && { traceparent: this.traceparent }),
      ...this.sentFrom,
      ...(this.forwardedFor !== undefined && { 'x-forwarded-for': this.forwardedFor }),
    }
  }
}
