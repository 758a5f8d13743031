/** An answer with its whole body. */
export interface Page {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** A browser as far as HTTP goes: it keeps cookies, follows redirects within one origin and submits forms. */
export class HttpBrowser {
  readonly cookies = new Map<string, string>()
  /** The address that a proxy says it has; it counts where the suite trusts 127.0.0.1. */
  forwardedFor: string | undefined
  /** The `Accept-Language` of its user. */
  acceptLanguage: string | undefined
  /** The trace that its requests belong to. */
  traceparent: string | undefined
  readonly #origin: string

  constructor(origin: string) {
    this.#origin = origin
  }

  /** One request, no redirect followed. `path` may be a whole address of this origin. */
  async send(path: string, form?: Readonly<Record<string, string>>): Promise<Page> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(new URL(path, this.#origin), {
      redirect: 'manual',
      headers: {
        ...(cookie !== '' && { cookie }),
        ...(this.acceptLanguage !== undefined && { 'accept-language': this.acceptLanguage }),
        ...(this.traceparent !== undefined && { traceparent: this.traceparent }),
        ...(this.forwardedFor !== undefined && { 'x-forwarded-for': this.forwardedFor }),
      },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return { status: response.status, headers: response.headers, body: await response.text() }
  }

  /** Opens a page: redirects are followed until there is none, or one that leaves this origin. */
  async open(path: string): Promise<Page> {
    return this.#follow(await this.send(path))
  }

  /** Submits the form of a page with these values beside its hidden fields. */
  async submit(page: Page, values: Readonly<Record<string, string>>): Promise<Page> {
    const action = /<form[^>]* action="([^"]+)"/.exec(page.body)?.[1]
    if (action === undefined) throw new Error(`${page.status}, and no form in:\n${page.body}`)
    return this.#follow(
      await this.send(action.replaceAll('&amp;', '&'), { ...hiddenFields(page), ...values }),
    )
  }

  async #follow(first: Page): Promise<Page> {
    let page = first
    for (;;) {
      const location = page.headers.get('location')
      if (location === null || new URL(location, this.#origin).origin !== this.#origin) return page
      page = await this.send(location)
    }
  }

  #keep(line: string): void {
    const [pair = ''] = line.split(';')
    const [name = '', value = ''] = pair.split('=', 2)
    if (/max-age=0/i.test(line)) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }
}

function hiddenFields(page: Page): Record<string, string> {
  const fields = page.body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)
  return Object.fromEntries([...fields].map(([, name, value = '']) => [name, value.replaceAll('&amp;', '&')]))
}
