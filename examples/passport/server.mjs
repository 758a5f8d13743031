// An Express application on http://localhost:3001 that signs people in through Signet with passport-openidconnect.
//
//   SIGNET_ISSUER=http://localhost:8080 PASSPORT_SECRET=… npm run example:passport

import { randomBytes } from 'node:crypto'
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import OpenIdConnectStrategy from 'passport-openidconnect'

const issuer = process.env.SIGNET_ISSUER ?? 'http://localhost:8080'
const clientSecret = process.env.PASSPORT_SECRET
const port = Number(process.env.PORT ?? 3001)
const origin = `http://localhost:${port}`

if (!clientSecret) {
  console.error(
    'PASSPORT_SECRET is not set: it is the secret of the client passport, printed at the first start',
  )
  process.exit(1)
}

// The strategy does not read the discovery document, so its settings are taken from there.
const discovered = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()

passport.use(
  new OpenIdConnectStrategy(
    {
      issuer: discovered.issuer,
      authorizationURL: discovered.authorization_endpoint,
      tokenURL: discovered.token_endpoint,
      userInfoURL: discovered.userinfo_endpoint,
      // It sends the secret in the form: the client is registered with client_secret_post.
      clientID: 'passport',
      clientSecret,
      callbackURL: `${origin}/callback`,
      scope: ['profile', 'email'],
      nonce: true,
      // Name and email address come from userinfo; the ID token says only who it is.
      skipUserProfile: false,
    },
    (_issuer, { id, displayName, emails }, _context, idToken, done) =>
      done(null, { id, displayName, emails, idToken }),
  ),
)
// The whole user is kept in the session. An application with a database of its own keeps an id and looks it up.
passport.serializeUser((user, done) => done(null, user))
passport.deserializeUser((user, done) => done(null, user))

const app = express()
// The sessions are in memory and end with the process. Behind https, add `secure: true` to the cookie.
const cookie = { httpOnly: true, sameSite: 'lax' }
app.use(session({ secret: randomBytes(32).toString('hex'), resave: false, saveUninitialized: false, cookie }))
app.use(passport.session())

app.get('/', (req, res) => {
  if (!req.isAuthenticated())
    return void page(res, '<p>You are not signed in.</p><a href="/sign-in">Sign in</a>')
  const { idToken: _, ...user } = req.user
  const text = JSON.stringify(user, null, 2).replaceAll('<', '&lt;')
  page(
    res,
    `<p>You are signed in.</p><pre>${text}</pre><form method="post" action="/sign-out"><button>Sign out</button></form>`,
  )
})
app.get('/sign-in', passport.authenticate('openidconnect'))
app.get('/callback', passport.authenticate('openidconnect', { successRedirect: '/', failureRedirect: '/' }))
app.post('/sign-out', (req, res, next) => {
  const hint = req.user?.idToken
  req.logout((error) => {
    if (error) return next(error)
    // The session here has ended; the browser goes on to Signet to end the one there.
    const endSession = new URL(discovered.end_session_endpoint)
    endSession.searchParams.set('client_id', 'passport')
    endSession.searchParams.set('post_logout_redirect_uri', `${origin}/`)
    if (hint) endSession.searchParams.set('id_token_hint', hint)
    res.redirect(303, endSession.href)
  })
})

app.listen(port, 'localhost', (error) => {
  if (error) throw error
  console.log(`open ${origin}`)
})

function page(res, body) {
  res.send(`<!doctype html><title>Passport example</title><h1>Passport example</h1>${body}`)
}
