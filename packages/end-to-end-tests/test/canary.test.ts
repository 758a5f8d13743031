import { afterAll, beforeAll, expect, it } from 'vitest'
import { asserted, assertionOf, basic, post } from '../src/client-credentials.ts'
import { type Suite, startSuite, tokensOf } from '../src/suite.ts'
import { API_SECRET, OTHER_SECRET, PASSWORD, REDIRECT_URI, WEB_SECRET } from '../src/test-directory.ts'

const WRONG_PASSWORD = 'wrong-password-canary-1'
const WRONG_SECRET = 'wrong-secret-canary-2'
const STATE = 'state-canary-3'
const NONCE = 'nonce-canary-4'

let suite: Suite
beforeAll(async () => {
  suite = await startSuite({ SIGNET_LOG_LEVEL: 'debug' })
}, 60_000)
afterAll(() => suite?.stop())

/** Everything secret that a whole life of tokens, with mistakes, sends to the suite or gets from it. */
async function liveAndLeaveSecrets(): Promise<Readonly<Record<string, string>>> {
  const browser = suite.newBrowser()
  const code = await suite.code({
    browser,
    scope: 'openid profile email offline_access',
    parameters: { state: STATE, nonce: NONCE },
  })
  await suite.redeem(code, { redirect_uri: 'https://app.example.com/wrong' })
  const first = tokensOf(await suite.redeem(code))
  const second = tokensOf(await suite.refresh('web', first.refresh_token))
  await suite.introspect(second.access_token)
  await suite.introspect(`${second.access_token}x`)
  const headers = { authorization: `Bearer ${second.access_token}` }
  await suite.fetch('/oidc/v1/userinfo', { headers })
  await suite.fetch(`/oidc/v1/userinfo?access_token=${second.access_token}`)

  const assertion = await assertionOf(suite.issuer)
  await suite.post('/oauth/v2/revoke', { token: second.access_token }, asserted(assertion))
  await suite.post('/oauth/v2/revoke', { token: second.access_token }, asserted(assertion))
  await suite.redeem(code, {}, basic('web', WRONG_SECRET))
  await suite.redeem(code, {}, post('post', WRONG_SECRET))
  await suite.post(
    `/oauth/v2/token?client_secret=${WEB_SECRET}`,
    [
      ['code', code.code],
      ['code', code.code],
    ],
    post('post', OTHER_SECRET),
  )
  await suite.tryPassword('alice', WRONG_PASSWORD)
  await suite.tryPassword(WRONG_PASSWORD, PASSWORD)

  const cookies = Object.fromEntries([...browser.cookies].map(([name, value]) => [`cookie ${name}`, value]))
  await browser.open(`/oidc/v1/end_session?${new URLSearchParams({ id_token_hint: second.id_token })}`)
  await suite.redeem(code)
  return {
    PASSWORD,
    WRONG_PASSWORD,
    WEB_SECRET,
    API_SECRET,
    OTHER_SECRET,
    WRONG_SECRET,
    STATE,
    NONCE,
    code: code.code,
    verifier: code.verifier,
    'first access token': first.access_token,
    'second access token': second.access_token,
    'first refresh token': first.refresh_token,
    'second refresh token': second.refresh_token,
    'first ID token': first.id_token,
    'second ID token': second.id_token,
    assertion,
    ...cookies,
  }
}

/** A secret as it came, encoded for a URL, and as the half of a Basic header. */
function disguises(secret: string): readonly string[] {
  // The middle of a long secret is enough to give it away, and survives whatever stands around it.
  const middle = secret.length > 80 ? [secret.slice(30, 70)] : []
  return [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -1),
    ...middle,
  ]
}

it('F-28, ASVS 14.2.4: with the log level debug no secret reaches the log', async () => {
  const secrets = await liveAndLeaveSecrets()
  expect(Object.keys(secrets).filter((name) => name.startsWith('cookie '))).toHaveLength(2)
  await suite.process.stop()
  const { stdout, stderr } = suite.process.output()
  for (const event of ['http_request', 'request_refused', 'signed_in']) expect(stderr).toContain(event)
  for (const [name, secret] of Object.entries(secrets)) {
    expect(secret.length, name).toBeGreaterThan(8)
    for (const disguise of disguises(secret)) {
      expect(stderr.includes(disguise), `${name} in the log`).toBe(false)
      expect(stdout.includes(disguise), `${name} on standard output`).toBe(false)
    }
  }
  expect(stderr).not.toContain(REDIRECT_URI)
  expect(stderr).not.toMatch(/postgres(ql)?:\/\/[^"]*:[^"]*@/)
})
