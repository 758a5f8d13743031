import { randomBytes } from 'node:crypto'
import { asserted, assertionOf, basic, post } from './client-credentials.ts'
import { ADMIN_TOKEN, API_SECRET, OTHER_SECRET, PASSWORD, WEB_SECRET } from './test-directory.ts'
import { type TestSystem, tokensOf } from './test-system.ts'

const WRONG_PASSWORD = 'wrong-password-canary-1'
const WRONG_SECRET = 'wrong-secret-canary-2'
const STATE = 'state-canary-3'
const NONCE = 'nonce-canary-4'
const STORAGE_KEY = 'storage-key-canary-5'
const PASSWORD_HASH = '$2a$14$canary6canary6canary6canary6canary6canary6canary6cana'
const TOTP_SEED = 'CANARYSEVENCANARYSEVEN7A'
const TRACE_STATE = 'trace-state-canary-8'

/** Secrets that were sent to the system or came from it, by their kind. */
export type Secrets = Readonly<Record<string, string>>

/** Lives a whole life of tokens, with mistakes, and moves users; `storage` is where exports are refused. */
export async function leaveSecrets(system: TestSystem, storage: string): Promise<Secrets> {
  return { ...(await liveOnTokens(system)), ...(await moveUsers(system, storage)) }
}

async function liveOnTokens(system: TestSystem): Promise<Secrets> {
  const browser = system.newBrowser()
  const code = await system.code({
    browser,
    scope: 'openid profile email offline_access',
    parameters: { state: STATE, nonce: NONCE },
  })
  await system.redeem(code, { redirect_uri: 'https://app.example.com/wrong' })
  const first = tokensOf(await system.redeem(code))
  const second = tokensOf(await system.refresh('web', first.refresh_token))
  await system.introspect(second.access_token)
  await system.introspect(`${second.access_token}x`)
  const headers = {
    authorization: `Bearer ${second.access_token}`,
    traceparent: `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`,
    tracestate: `canary=${TRACE_STATE}`,
  }
  await system.fetch('/oidc/v1/userinfo', { headers })
  await system.fetch(`/oidc/v1/userinfo?access_token=${second.access_token}`)

  const assertion = await assertionOf(system.issuer)
  await system.post('/oauth/v2/revoke', { token: second.access_token }, asserted(assertion))
  await system.post('/oauth/v2/revoke', { token: second.access_token }, asserted(assertion))
  await system.redeem(code, {}, basic('web', WRONG_SECRET))
  await system.redeem(code, {}, post('post', WRONG_SECRET))
  await system.post(
    `/oauth/v2/token?client_secret=${WEB_SECRET}`,
    [
      ['code', code.code],
      ['code', code.code],
    ],
    post('post', OTHER_SECRET),
  )
  await system.tryPassword('alice', WRONG_PASSWORD)
  await system.tryPassword(WRONG_PASSWORD, PASSWORD)

  const cookies = Object.fromEntries([...browser.cookies].map(([name, value]) => [`cookie ${name}`, value]))
  await browser.open(`/oidc/v1/end_session?${new URLSearchParams({ id_token_hint: second.id_token })}`)
  await system.redeem(code)
  return {
    PASSWORD,
    WRONG_PASSWORD,
    WEB_SECRET,
    API_SECRET,
    OTHER_SECRET,
    WRONG_SECRET,
    STATE,
    NONCE,
    TRACE_STATE,
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

async function moveUsers(system: TestSystem, storage: string): Promise<Secrets> {
  const user = {
    userName: 'moved',
    profile: { firstName: 'Given', lastName: 'Family' },
    email: { email: 'moved@moved.example', isEmailVerified: true },
    hashedPassword: { value: PASSWORD_HASH },
    otpCode: TOTP_SEED,
  }
  const orgs = [{ orgId: 'moved', org: { name: 'Moved' }, humanUsers: [{ userId: 'moved', user }] }]
  const imported = await system.administer('POST', '/admin/v1/import', { dataOrgs: { orgs } })
  if (imported.status !== 200) throw new Error(`no import, but ${imported.status}: ${imported.text}`)
  const s3Output = { bucket: 'exports', path: 'export.json', endpoint: storage, accessKeyId: 'exporter' }
  const order = { s3Output: { ...s3Output, secretAccessKey: STORAGE_KEY } }
  const exported = await system.administer('POST', '/admin/v1/export', order)
  if (exported.status !== 202) throw new Error(`no export, but ${exported.status}: ${exported.text}`)
  return { ADMIN_TOKEN, STORAGE_KEY, PASSWORD_HASH, TOTP_SEED }
}

/** A secret as it came, encoded for a URL, and as the half of a Basic header. */
export function disguises(secret: string): readonly string[] {
  // The middle of a long secret is enough to reveal it, and survives any text around it.
  const middle = secret.length > 80 ? [secret.slice(30, 70)] : []
  return [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -1),
    ...middle,
  ]
}
