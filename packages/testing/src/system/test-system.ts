import { createHash, randomBytes } from 'node:crypto'
import { HttpBrowser, type Page } from '../http-browser.ts'
import { type ClientCredentials, credentialsOf } from './client-credentials.ts'
import { ADMIN_TOKEN, PASSWORD, REDIRECT_URI } from './test-directory.ts'

/** The response of an endpoint. `json` is an empty object when the body is no JSON. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Readonly<Record<string, unknown>>
}

/** A code and what its redemption has to repeat. */
export interface IssuedCode {
  readonly clientId: string
  readonly code: string
  readonly verifier: string
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
}

export interface SignInOptions {
  readonly clientId?: string
  readonly scope?: string
  readonly loginName?: string
  /** Browser; one that is signed in already needs no password. */
  readonly browser?: HttpBrowser
  /** Added to the authorization request; an empty text takes a parameter away. */
  readonly parameters?: Readonly<Record<string, string>>
}

/** The running services, and requests to their endpoints by users and clients of the test directory. */
export abstract class TestSystem {
  readonly issuer: string
  /** The address of the endpoints; the issuer unless another one was configured. */
  readonly base: string
  /** The trace that requests belong to, those of browsers opened from now on too. */
  traceparent: string | undefined

  constructor(issuer: string, base = issuer) {
    this.issuer = issuer
    this.base = base
  }

  /** Stops every service and deletes its data. */
  abstract stop(): Promise<unknown>

  newBrowser(): HttpBrowser {
    const browser = new HttpBrowser(this.base)
    browser.traceparent = this.traceparent
    return browser
  }

  /** Sends one request and follows no redirect. */
  async fetch(path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = new Headers(init.headers)
    if (this.traceparent !== undefined) headers.set('traceparent', this.traceparent)
    return fetchAnswer(new URL(path, this.base), { ...init, headers })
  }

  /** POSTs a form as a client. A list of pairs may repeat a parameter. */
  async post(
    path: string,
    form: Readonly<Record<string, string>> | readonly (readonly string[])[],
    credentials: ClientCredentials,
  ): Promise<Answer> {
    const body = new URLSearchParams(credentials.form)
    for (const [name = '', value = ''] of isPairs(form) ? form : Object.entries(form))
      body.append(name, value)
    return this.fetch(path, { method: 'POST', body, headers: credentials.headers })
  }

  /** Calls the management API as the administrator. */
  manage(method: string, path: string, body?: object): Promise<Answer> {
    return this.administer(method, `/management/v1${path}`, body)
  }

  /** Calls any API as the administrator. */
  administer(method: string, path: string, body?: object): Promise<Answer> {
    const authorization = `Bearer ${ADMIN_TOKEN}`
    const json = {
      body: JSON.stringify(body),
      headers: { authorization, 'content-type': 'application/json' },
    }
    const init = body === undefined ? { headers: { authorization } } : json
    return this.fetch(path, { method, ...init })
  }

  /** Tries a password on the sign-in page and returns the next page: a redirect to the client or the form again. */
  async tryPassword(loginName: string, password = PASSWORD): Promise<Page> {
    const browser = this.newBrowser()
    const query = new URLSearchParams({
      client_id: 'web',
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'openid',
    })
    return browser.submit(await browser.open(`/oauth/v2/authorize?${query}`), {
      login_name: loginName,
      password,
    })
  }

  /** Signs a user in and returns the parameters that the client's redirect URI received. */
  async signIn(options: SignInOptions & { readonly verifier?: string } = {}): Promise<URLSearchParams> {
    const { clientId = 'web', scope = 'openid', loginName = 'alice', browser = this.newBrowser() } = options
    const query = new URLSearchParams({
      client_id: clientId,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope,
      ...(options.verifier && {
        code_challenge: challengeOf(options.verifier),
        code_challenge_method: 'S256',
      }),
      ...options.parameters,
    })
    let page = await browser.open(`/oauth/v2/authorize?${query}`)
    if (page.status === 200) page = await browser.submit(page, { login_name: loginName, password: PASSWORD })
    const location = page.headers.get('location')
    if (location === null) throw new Error(`no redirect to the client, but ${page.status}:\n${page.body}`)
    return new URL(location).searchParams
  }

  /** Returns a fresh code with PKCE. */
  async code(options: SignInOptions = {}): Promise<IssuedCode> {
    const verifier = randomBytes(32).toString('base64url')
    const received = await this.signIn({ ...options, verifier })
    const code = received.get('code')
    if (code === null) throw new Error(`no code, but ${received}`)
    return { clientId: options.clientId ?? 'web', code, verifier }
  }

  /** Redeems a code, with single parameters changed; an empty one counts as left out. */
  async redeem(
    { clientId, code, verifier }: IssuedCode,
    change: Readonly<Record<string, string>> = {},
    credentials?: ClientCredentials,
  ): Promise<Answer> {
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: verifier,
      ...change,
    }
    return this.post('/oauth/v2/token', form, credentials ?? (await credentialsOf(clientId, this.issuer)))
  }

  async refresh(
    clientId: string,
    refreshToken: string,
    change: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken, ...change }
    return this.post('/oauth/v2/token', form, await credentialsOf(clientId, this.issuer))
  }

  /** Returns tokens of a fresh sign-in; with a refresh token unless another scope is asked for. */
  async tokens(options: SignInOptions = {}): Promise<Tokens> {
    const answer = await this.redeem(await this.code({ scope: 'openid offline_access', ...options }))
    return tokensOf(answer)
  }

  async introspect(token: string, clientId = 'api'): Promise<Answer> {
    return this.post('/oauth/v2/introspect', { token }, await credentialsOf(clientId, this.issuer))
  }

  async isActive(token: string): Promise<boolean> {
    return (await this.introspect(token)).json.active === true
  }

  async revoke(
    clientId: string,
    token: string,
    change: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    return this.post('/oauth/v2/revoke', { token, ...change }, await credentialsOf(clientId, this.issuer))
  }
}

/** Sends one request and follows no redirect. */
export async function fetchAnswer(url: string | URL, init?: RequestInit): Promise<Answer> {
  const response = await fetch(url, { redirect: 'manual', ...init })
  const { status, headers } = response
  const text = await response.text()
  const isJson = headers.get('content-type')?.startsWith('application/json') === true && text !== ''
  return { status, headers, text, json: isJson ? JSON.parse(text) : {} }
}

/** The tokens of a successful response; throws for any other, so that a test fails where it goes wrong. */
export function tokensOf({ status, text, json }: Answer): Tokens {
  if (status !== 200) throw new Error(`no tokens, but ${status}: ${text}`)
  return json as unknown as Tokens
}

function isPairs<P extends readonly (readonly string[])[]>(
  form: Readonly<Record<string, string>> | P,
): form is P {
  return Array.isArray(form)
}

/** RFC 7636 section 4.2 */
function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}
