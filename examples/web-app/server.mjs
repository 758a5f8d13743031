// A web application on http://localhost:3000 that signs people in through Signet with openid-client.
//
//   SIGNET_ISSUER=http://localhost:8080 WEB_SECRET=… npm run example

import { createServer } from 'node:http'
import * as oidc from 'openid-client'

const issuer = new URL(process.env.SIGNET_ISSUER ?? 'http://localhost:8080')
const secret = process.env.WEB_SECRET
const port = Number(process.env.PORT ?? 3000)
const origin = `http://localhost:${port}`
const redirectUri = `${origin}/callback`

if (!secret) {
  console.error('WEB_SECRET is not set: it is the secret of the client web, printed at the first start')
  process.exit(1)
}

// Plain http is refused by openid-client unless it is asked for, as here for a server on this machine.
const insecure = issuer.protocol === 'http:' ? { execute: [oidc.allowInsecureRequests] } : undefined
const config = await oidc.discovery(issuer, 'web', undefined, oidc.ClientSecretBasic(secret), insecure)

/** Pending sign-in: one at a time is enough for an example; a real application keeps this in the user's session. */
let pending
let session

const routes = {
  '/': async (_url, res) => {
    if (session === undefined)
      return page(res, '<p>You are not signed in.</p><p><a href="/sign-in">Sign in</a></p>')
    const claims = JSON.stringify(session.claims, null, 2).replaceAll('<', '&lt;')
    page(res, `<p>You are signed in.</p><pre>${claims}</pre><p><a href="/sign-out">Sign out</a></p>`)
  },
  '/sign-in': async (_url, res) => {
    pending = {
      pkceCodeVerifier: oidc.randomPKCECodeVerifier(),
      expectedState: oidc.randomState(),
      expectedNonce: oidc.randomNonce(),
    }
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid profile email',
      state: pending.expectedState,
      nonce: pending.expectedNonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(pending.pkceCodeVerifier),
      code_challenge_method: 'S256',
    })
    redirect(res, url)
  },
  '/callback': async (url, res) => {
    const tokens = await oidc.authorizationCodeGrant(config, url, pending)
    const subject = tokens.claims()?.sub ?? ''
    session = {
      idToken: tokens.id_token,
      claims: await oidc.fetchUserInfo(config, tokens.access_token, subject),
    }
    redirect(res, origin)
  },
  '/sign-out': async (_url, res) => {
    const hint = session?.idToken
    session = undefined
    redirect(
      res,
      oidc.buildEndSessionUrl(config, {
        post_logout_redirect_uri: `${origin}/`,
        ...(hint && { id_token_hint: hint }),
      }),
    )
  },
}

createServer((req, res) => {
  const url = new URL(req.url ?? '/', origin)
  const route = routes[url.pathname]
  if (route === undefined) return void res.writeHead(404).end()
  route(url, res).catch((error) => {
    console.error(error)
    res.writeHead(500, { 'Content-Type': 'text/plain' }).end(`${error.message}\n`)
  })
}).listen(port, 'localhost', () => console.log(`open ${origin}`))

function page(res, body) {
  res
    .writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
    .end(`<!doctype html><title>Example</title><h1>Example</h1>${body}`)
}

function redirect(res, location) {
  res.writeHead(303, { Location: String(location) }).end()
}
