// A Node.js server on http://localhost:3002 that signs people in through Signet with Auth.js, without a framework.
//
//   SIGNET_ISSUER=http://localhost:8080 AUTHJS_SECRET=… npm run example:authjs

import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { Auth, skipCSRFCheck } from '@auth/core'
import { getToken } from '@auth/core/jwt'

const issuer = process.env.SIGNET_ISSUER ?? 'http://localhost:8080'
const clientSecret = process.env.AUTHJS_SECRET
const port = Number(process.env.PORT ?? 3002)
const origin = `http://localhost:${port}`

if (!clientSecret) {
  console.error('AUTHJS_SECRET is not set: it is the secret of the client authjs, printed at the first start')
  process.exit(1)
}

const config = {
  basePath: '/auth',
  trustHost: true,
  // Seals the session cookie. With one that is kept, sessions outlive the process.
  secret: randomBytes(32).toString('hex'),
  providers: [
    {
      id: 'signet',
      name: 'Signet',
      type: 'oidc',
      issuer,
      clientId: 'authjs',
      clientSecret,
      checks: ['pkce', 'state', 'nonce'],
      // Name and email address come from userinfo; the ID token says only who it is.
      idToken: false,
    },
  ],
  callbacks: {
    // Kept for signing out.
    jwt: ({ token, account }) => (account ? { ...token, idToken: account.id_token } : token),
  },
}

const discovered = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()

async function home(request) {
  const session = await (await Auth(new Request(`${origin}/auth/session`, request), config)).json()
  if (!session) return page('<p>You are not signed in.</p><a href="/auth/signin">Sign in</a>')
  const text = JSON.stringify(session.user, null, 2).replaceAll('<', '&lt;')
  return page(
    `<p>You are signed in.</p><pre>${text}</pre><form method="post" action="/sign-out"><button>Sign out</button></form>`,
  )
}

/** Auth.js ends only its own session, so the browser is sent on to Signet to end the one there. */
async function signOut(request) {
  const token = await getToken({ req: request, secret: config.secret })
  const endSession = new URL(discovered.end_session_endpoint)
  endSession.searchParams.set('client_id', 'authjs')
  endSession.searchParams.set('post_logout_redirect_uri', `${origin}/`)
  if (token?.idToken) endSession.searchParams.set('id_token_hint', token.idToken)

  const headers = { cookie: request.headers.get('cookie') ?? '' }
  // Another site cannot make the browser send the session cookie along with a POST: it is SameSite=Lax.
  const ended = await Auth(new Request(`${origin}/auth/signout`, { method: 'POST', headers }), {
    ...config,
    skipCSRFCheck,
  })
  ended.headers.set('Location', endSession.href)
  return ended
}

function answer(request) {
  const { pathname } = new URL(request.url)
  if (pathname.startsWith('/auth/')) return Auth(request, config)
  if (pathname === '/' && request.method === 'GET') return home(request)
  if (pathname === '/sign-out' && request.method === 'POST') return signOut(request)
  return new Response(undefined, { status: 404 })
}

createServer(async (req, res) => {
  try {
    const { method, headers } = req
    const body = method === 'POST' ? { body: Readable.toWeb(req), duplex: 'half' } : {}
    const response = await answer(new Request(new URL(req.url ?? '/', origin), { method, headers, ...body }))
    res
      .setHeaders(response.headers)
      .writeHead(response.status)
      .end(await response.text())
  } catch (error) {
    console.error(error)
    res.writeHead(500).end()
  }
}).listen(port, 'localhost', () => console.log(`open ${origin}`))

function page(body) {
  return new Response(`<!doctype html><title>Auth.js example</title><h1>Auth.js example</h1>${body}`, {
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
  })
}
