import { setTimeout as pause } from 'node:timers/promises'
import { HttpBrowser } from '@signet/testing/http-browser'
import type { HttpRequest, Send } from '../load/http-exchange.ts'
import { WrongAnswer } from '../load/lane.ts'
import { PASSWORD, REDIRECT_URI } from '../stage/directory-document.ts'
import type { Stage } from '../stage/stage.ts'
import { formRequest, getRequest } from './requests.ts'

const MOST_TRIES = 50
const PAUSE_MS = 200
export const SCOPE = 'openid profile email offline_access'

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
}

/** Endpoints of a server. */
export type Endpoints = Readonly<
  Record<'authorize' | 'token', { readonly origin: string; readonly path: string }>
>

export const signetEndpoints = ({ signet }: Stage): Endpoints => ({
  authorize: { origin: signet.originOf('login'), path: '/oauth/v2/authorize' },
  token: { origin: signet.originOf('token'), path: '/oauth/v2/token' },
})

/** The tokens of a person who has just signed in to an application. */
export async function tokensOfSignIn(stage: Stage, clientId = 'web'): Promise<Tokens> {
  const cookie = await signIn(stage, clientId)
  return codeFlow(signetEndpoints(stage), { clientId, cookie }, stage.connections.send)
}

/** Signs a person in and answers the cookies of the browser. */
export async function signIn({ signet }: Stage, clientId = 'web'): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const browser = new HttpBrowser(signet.originOf('login'))
    browser.forwardedFor = randomAddress()
    const page = await browser.open(authorizationPath('/oauth/v2/authorize', clientId))
    const done = await browser.submit(page, { login_name: 'alice', password: PASSWORD })
    if (done.headers.get('location')?.startsWith(REDIRECT_URI)) {
      return [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    }
    // Connections between services that were tried before both ends stood come back within two seconds.
    if (done.status !== 503 || tries === MOST_TRIES) throw new Error(`no sign-in: ${done.status}`)
    await pause(PAUSE_MS)
  }
}

/** Returns a random address out of 16,000,000. */
export function randomAddress(): string {
  return `10.${Array.from({ length: 3 }, () => Math.floor(Math.random() * 256)).join('.')}`
}

/** Requests a code with the session of a browser, by a pushed request where there is one, and redeems it. Rejects with WrongAnswer. */
export async function codeFlow(
  { authorize, token }: Endpoints,
  {
    clientId,
    cookie,
    requestUri,
    scope,
  }: {
    readonly clientId: string
    readonly cookie: string
    readonly requestUri?: string
    readonly scope?: string
  },
  send: Send,
): Promise<Tokens> {
  const path =
    requestUri === undefined
      ? authorizationPath(authorize.path, clientId, scope)
      : `${authorize.path}?${new URLSearchParams({ client_id: clientId, request_uri: requestUri })}`
  const asked = getRequest(authorize.origin, path, { cookie })
  const answer = await send(asked)
  const { location } = answer.headers
  const code = location?.startsWith(REDIRECT_URI) ? new URL(location).searchParams.get('code') : null
  if (code === null) throw new WrongAnswer(asked, answer)
  const form = { grant_type: 'authorization_code', redirect_uri: REDIRECT_URI, code }
  return requireTokens(send, formRequest(token.origin, token.path, { clientId, form }))
}

/** Rejects with WrongAnswer for anything but an access, a refresh and an ID token. */
export async function requireTokens(send: Send, request: HttpRequest): Promise<Tokens> {
  const answer = await send(request)
  const tokens = answer.status === 200 ? (JSON.parse(answer.body) as Partial<Tokens>) : {}
  const { access_token, refresh_token, id_token } = tokens
  if (!access_token || !refresh_token || !id_token) throw new WrongAnswer(request, answer)
  return { access_token, refresh_token, id_token }
}

export function authorizationPath(path: string, clientId: string, scope = SCOPE): string {
  const query = { client_id: clientId, redirect_uri: REDIRECT_URI, response_type: 'code', scope }
  return `${path}?${new URLSearchParams(query)}`
}

/** Tokens of as many users that signed in at the peer. */
export async function tokensOfPeer(
  { peer, connections }: Stage,
  kind: 'access' | 'refresh',
  count: number,
  clientId = 'web',
): Promise<readonly string[]> {
  const request = getRequest(peer.origin, `/mint?kind=${kind}&count=${count}&client=${clientId}`)
  const answer = await connections.send(request)
  if (answer.status !== 200) throw new WrongAnswer(request, answer)
  return JSON.parse(answer.body) as string[]
}
