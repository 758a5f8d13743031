// An Express application on http://localhost:4000 that signs people in through Signet with express-openid-connect.

import { randomBytes } from 'node:crypto'
import express from 'express'
import openid from 'express-openid-connect'

const { SIGNET_ISSUER = 'http://localhost:8080', CLIENT_ID, CLIENT_SECRET, PORT = '4000' } = process.env
const origin = `http://localhost:${PORT}`

const app = express()
// Adds /login, /callback and /logout. The session is an encrypted cookie: keep `secret` to let it outlive this process.
app.use(
  openid.auth({
    issuerBaseURL: SIGNET_ISSUER,
    baseURL: origin,
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    secret: randomBytes(32).toString('hex'),
    authRequired: false,
    idpLogout: true,
    authorizationParams: { response_type: 'code', scope: 'openid profile email' },
  }),
)

app.get('/', (req, res) => {
  res.send(
    req.oidc.isAuthenticated()
      ? '<a href="/profile">Profile</a> <a href="/transfer">Transfer</a> <a href="/logout">Sign out</a>'
      : '<a href="/login">Sign in</a>',
  )
})
app.get('/profile', openid.requiresAuth(), async (req, res) => {
  res.json(await req.oidc.fetchUserInfo())
})

// A transfer wants two factors, proven within five minutes; else the person signs in again (OIDC Core section 3.1.2.1).
const STRONG = 'urn:service:acr:mfa'
const RECENT_SECONDS = 300
app.get('/transfer', openid.requiresAuth(), (req, res) => {
  const { acr, auth_time: signedInAt } = req.oidc.idTokenClaims
  if (acr === STRONG && signedInAt > Date.now() / 1000 - RECENT_SECONDS) {
    res.send('Transferred')
    return
  }
  res.oidc.login({
    returnTo: '/transfer',
    authorizationParams: { acr_values: STRONG, max_age: RECENT_SECONDS },
  })
})

app.listen(PORT, 'localhost', () => console.log(`open ${origin}`))
