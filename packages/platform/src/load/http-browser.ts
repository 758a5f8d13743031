/** An answer with its whole body. */
export interface Page {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** Fields, or the encoded text. */
export type Form = Readonly<Record<string, string>> | string

/** A browser as far as HTTP goes: it keeps cookies, follows redirects within one origin and submits forms. */
export class PlainBrowser {
  readonly cookies = new Map<string, string>()
  readonly #origin: string
  readonly #fetch: typeof fetch

  constructor(origin: string, fetchPage: typeof fetch = fetch) {
    this.#origin = origin
    this.#fetch = fetchPage
  }

  /** Headers of each request besides cookies and content type. */
  protected ownHeaders(): Readonly<Record<string, string>> {
    return {}
  }

  /**
   * Sends a request and follows no redirect. `path` may be a whole address of this origin. `withCookies: false` sends
   * a form as a page of another site does with `SameSite=Lax`.
   */
  async send(path: string, form?: Form, { withCookies = true } = {}): Promise<Page> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const send = this.#fetch
    const response = await send(new URL(path, this.#origin), {
      redirect: 'manual',
      headers: {
        ...(cookie !== '' && withCookies && { cookie }),
        ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...this.ownHeaders(),
      },
      ...(form !== undefined && {
        method: 'POST',
        body: typeof form === 'string' ? form : `${new URLSearchParams(form)}`,
      }),
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
    const { action, fields } = formOf(page)
    return this.#follow(await this.send(action, { ...fields, ...values }))
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

/**
 * The address of the first form of a page, and its hidden fields. Forms that are hidden without scripts come last. Throws for a page without one.
 */
export function formOf(page: Pick<Page, 'status' | 'body'>) {
  const forms = [...page.body.matchAll(/<form[^>]* action="([^"]+)"[^>]*>[\s\S]*?(?:<\/form>|$)/g)]
  const [body = '', action] = forms.find(([form]) => !/^<form[^>]* hidden/.test(form)) ?? forms[0] ?? []
  if (action === undefined) throw new Error(`${page.status}, and no form in:\n${page.body}`)
  return { action: decodeEntities(action), fields: hiddenFields({ body }) }
}

export function hiddenFields({ body }: Pick<Page, 'body'>): Record<string, string> {
  const fields = body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)
  return Object.fromEntries([...fields].map(([, name, value = '']) => [name, decodeEntities(value)]))
}

export function decodeEntities(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
