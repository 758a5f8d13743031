import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { API_SCOPE } from '@signet/protocol/scopes'
import { SuiteUnreachable } from '../api/errors.ts'
import type { CommandContext } from '../context.ts'
import { CommandError } from '../exit-codes.ts'
import type { BrowserLogin } from './stored-login.ts'
import { requestToken, tokensOf } from './token-request.ts'

/** The client id of `signet login`. */
export const CLI_CLIENT_ID = 'signet-cli'

// Signs a person in with the browser: the authorization code flow with PKCE (RFC 7636) and a redirect to a port of
// 127.0.0.1 that this process listens on (RFC 8252 section 7.3). Only a response with the state of this run and the
// issuer that was asked (RFC 9207) counts; a code that another process takes is worth nothing without the verifier.

interface BrowserSignIn {
  readonly issuer: string
  /** A native application with the redirect URI `http://127.0.0.1/callback` that may call the API. */
  readonly clientId: string
  /** Opens the address in the browser besides writing it. */
  readonly opens: boolean
  /**
   * Values of `acr_values` for a person who has just signed in, but not in the way that the instance wants of
   * administrators.
   */
  readonly acrValues?: string
}

type LoginContext = Pick<CommandContext, 'fetch' | 'now' | 'note' | 'openBrowser'>

/** Time for which a started sign-in stays valid. */
const DEADLINE_MS = 600_000

/** Throws a CommandError when the application cannot sign people in, the person declines, or nothing comes in ten minutes. */
export async function signInWithBrowser(signIn: BrowserSignIn, context: LoginContext): Promise<BrowserLogin> {
  const { issuer, clientId, opens, acrValues } = signIn
  const state = randomBytes(32).toString('base64url')
  const verifier = randomBytes(32).toString('base64url')
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`
    const url = new URL(`${issuer}/oauth/v2/authorize`)
    url.search = new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: `openid offline_access ${API_SCOPE}`,
      // The instance may want a recent sign-in of administrators; a session of the browser could be older.
      ...(acrValues === undefined ? { prompt: 'login' } : { acr_values: acrValues }),
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }).toString()
    const address = await signInAddress(url, signIn, context)
    const answered = authorizationResponse(server, { state, issuer })
    context.note(`sign in with the browser of this machine:\n${address.href}`)
    // Not awaited: the program that opens a browser may run as long as the browser.
    if (opens) context.openBrowser(address.href).catch(() => context.note('no browser could be opened'))
    const { code, respond } = await answered
    try {
      const form = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      }
      const body = await requestToken({ issuer, fetch: context.fetch }, { ...form, client_id: clientId })
      await respond('You are signed in to the command line. You can close this window.')
      return { issuer, clientId, ...tokensOf(body, context.now()) }
    } catch (error) {
      await respond('The sign-in failed. The command line says why.')
      throw error
    }
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/**
 * Returns the address of the sign-in page. It is asked for once, because its refusals are shown in the browser and never reach
 * this process. An instance that takes pushed requests only refuses it, and gets the request pushed (RFC 9126).
 */
async function signInAddress(
  url: URL,
  { issuer, clientId }: BrowserSignIn,
  context: LoginContext,
): Promise<URL> {
  const answer = await send(url, { redirect: 'manual' }, issuer, context)
  const location = answer.headers.get('location')
  const target = location === null ? undefined : new URL(location, issuer)
  const refusal = target?.hostname === '127.0.0.1' ? target.searchParams.get('error') : null
  if (answer.status < 400 && refusal === null) return url
  const pushed = refusal === 'invalid_request' ? await pushedAddress(url, issuer, context) : undefined
  if (pushed !== undefined) return pushed
  throw new CommandError(
    'notSignedIn',
    `${issuer} does not let people sign in to the command line as client ${clientId}${refusal === null ? '' : ` (${refusal})`}; an IAM_OWNER allows it with signet application create cli --project ID. Or sign in with --token-file`,
  )
}

async function pushedAddress(url: URL, issuer: string, context: LoginContext): Promise<URL | undefined> {
  const form = { method: 'POST', body: url.searchParams }
  const { status, body } = await send(new URL(`${issuer}/oauth/v2/par`), form, issuer, context)
  if (status !== 201) return undefined
  const { request_uri: requestUri } = JSON.parse(body) as { request_uri: string }
  const query = { client_id: url.searchParams.get('client_id') ?? '', request_uri: requestUri }
  return new URL(`?${new URLSearchParams(query)}`, url)
}

async function send(url: URL, init: RequestInit, issuer: string, { fetch }: LoginContext) {
  const response = await fetch(url, init).catch((cause: unknown) => {
    throw new SuiteUnreachable(`${issuer} cannot be reached`, { cause })
  })
  const { status, headers } = response
  if (status >= 500 || status === 429) throw new SuiteUnreachable(`${issuer} cannot sign in now (${status})`)
  return { status, headers, body: await response.text() }
}

interface AuthorizationResponse {
  readonly code: string
  /** Shows the browser a page, at an address without the code. Resolves when the browser has it, or does not ask for it. */
  readonly respond: (text: string) => Promise<void>
}

/** Path of the page that ends the sign-in. */
const END = '/done'
/** Time for a browser to follow the redirect to that page. */
const END_MS = 5_000

function authorizationResponse(
  server: Server,
  expected: { readonly state: string; readonly issuer: string },
): Promise<AuthorizationResponse> {
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => {
      reject(
        new CommandError(
          'notSignedIn',
          'nothing came from the browser within ten minutes; repeat signet login',
        ),
      )
    }, DEADLINE_MS)
    server.once('close', () => clearTimeout(deadline))
    let end: { readonly text: string; readonly shown: () => void } | undefined
    server.on('request', (req: IncomingMessage, res: ServerResponse) => {
      const { pathname, searchParams } = new URL(req.url ?? '/', 'http://127.0.0.1')
      if (pathname === END && end !== undefined) return void page(res, 200, end.text).then(end.shown)
      const issuer = searchParams.get('iss') ?? expected.issuer
      const isOurs = searchParams.get('state') === expected.state && issuer === expected.issuer
      // Any page can send a browser here: it neither ends the sign-in nor fills it.
      if (req.method !== 'GET' || pathname !== '/callback' || !isOurs)
        return void page(res, 400, 'This is not the response of a sign-in.')
      const code = searchParams.get('code')
      if (code !== null) {
        const respond = (text: string) =>
          new Promise<void>((shown) => {
            end = { text, shown }
            const waiting = setTimeout(shown, END_MS)
            server.once('close', () => clearTimeout(waiting))
            res.writeHead(303, { location: END, 'cache-control': 'no-store', connection: 'close' }).end()
          })
        resolve({ code, respond })
        return
      }
      void page(res, 200, 'You are not signed in. You can close this window.')
      const reason = searchParams.get('error_description') ?? searchParams.get('error') ?? 'no code'
      reject(new CommandError('notSignedIn', `the sign-in was refused: ${reason}`))
    })
  })
}

/** The look of the pages of Signet, in a document of its own: this process serves no other file. */
const STYLE = `
:root { color-scheme: light dark; --page: #f3f5f9; --card: #fff; --text: #17202e; --accent: #1d4ed8 }
@media (prefers-color-scheme: dark) {
  :root { --page: #10151e; --card: #1a212d; --text: #eef1f7; --accent: #8fb1ff }
}
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; box-sizing: border-box;
  background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 26rem; padding: 2rem; border-radius: 1rem; background: var(--card) }
p { margin: 0 0 1rem; color: var(--accent); font-weight: 700 }
h1 { margin: 0; font-size: 1.3rem; line-height: 1.3 }
`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

function page(res: ServerResponse, status: number, text: string): Promise<void> {
  res.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
    connection: 'close',
  })
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Signet command line</title><style>${STYLE}</style></head>
<body><main><p>Signet command line</p><h1>${text}</h1></main></body></html>
`
  return new Promise((resolve) => {
    res.once('close', resolve)
    res.end(html)
  })
}
