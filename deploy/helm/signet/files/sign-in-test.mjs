// The program of `helm test`: requests each service through its Service and, with a user and a client, signs
// in, redeems the code, reads the user and revokes the token. Exits with 1 and the reason on an unexpected
// response.
import { readFile } from 'node:fs/promises'

const { ISSUER, USERNAME, PASSWORD, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI } = process.env
const { CLIENT_ASSERTION_FILE } = process.env
const { LOGIN_URL = ISSUER, TOKEN_URL = ISSUER, INTROSPECTION_URL = ISSUER, KEYS_URL = ISSUER } = process.env
const SERVICES = [
  ['/oauth/v2/token', TOKEN_URL],
  ['/oauth/v2/revoke', TOKEN_URL],
  ['/oidc/v1/userinfo', INTROSPECTION_URL],
  ['/oauth/v2/introspect', INTROSPECTION_URL],
  ['/oauth/v2/keys', KEYS_URL],
  ['/.well-known/', KEYS_URL],
]
const DEADLINE_MS = 10_000
const cookies = new Map()

try {
  await everyServiceAnswers()
  if (USERNAME) await signIn()
  else say('no user was given: nobody signed in')
} catch (error) {
  say(`failed: ${error.message}${error.cause ? ` (${error.cause.message ?? error.cause})` : ''}`)
  process.exit(1)
}

async function everyServiceAnswers() {
  const discovery = await json(await send('/.well-known/openid-configuration'))
  expect(discovery.issuer === ISSUER, `discovery names the issuer ${discovery.issuer}, not ${ISSUER}`)
  const { keys } = await json(await send('/oauth/v2/keys'))
  expect(keys.length > 0, 'the key set is empty')
  const token = await send('/oauth/v2/token', { form: { grant_type: 'client_credentials' } })
  expect(token.status === 400 || token.status === 401, `token without a client answers ${token.status}`)
  const userinfo = await send('/oidc/v1/userinfo')
  expect(userinfo.status === 401, `userinfo without a token answers ${userinfo.status}`)
  const authorize = await send('/oauth/v2/authorize')
  expect(authorize.status === 400, `authorize without a client answers ${authorize.status}`)
  say(`login, token, introspection and keys answer, ${keys.length} keys`)
}

async function signIn() {
  const query = new URLSearchParams({
    client_id: CLIENT_ID,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: 'openid',
  })
  const page = await follow(await send(`/oauth/v2/authorize?${query}`))
  const body = await page.text()
  const action = /<form[^>]* action="([^"]+)"/.exec(body)?.[1]?.replaceAll('&amp;', '&')
  expect(action !== undefined, `authorize shows no form but ${page.status}`)
  const hidden = [...body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)]
  const form = Object.fromEntries(hidden.map(([, name, value]) => [name, value]))
  const answer = await follow(
    await send(action, { form: { ...form, login_name: USERNAME, password: PASSWORD } }),
  )
  const location = answer.headers.get('location')
  const code = location && new URL(location).searchParams.get('code')
  expect(code, `signing in gives no code but ${answer.status}`)
  const redeem = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI }
  const { access_token: token } = await json(await send('/oauth/v2/token', { form: redeem, client: true }))
  const bearer = { authorization: `Bearer ${token}` }
  const user = await json(await send('/oidc/v1/userinfo', { headers: bearer }))
  const revoked = await send('/oauth/v2/revoke', { form: { token }, client: true })
  expect(revoked.status === 200, `revoking answers ${revoked.status}`)
  const after = await send('/oidc/v1/userinfo', { headers: bearer })
  expect(after.status === 401, `userinfo with a revoked token answers ${after.status}`)
  say(`signed in as ${user.sub}, and the revoked token is refused`)
}

async function follow(response) {
  const location = response.headers.get('location')
  if (location === null) return response
  const { origin, pathname, search } = new URL(location, ISSUER)
  return origin === ISSUER ? follow(await send(`${pathname}${search}`)) : response
}

async function send(path, { form, headers = {}, client = false } = {}) {
  const [, service = LOGIN_URL] = SERVICES.find(([prefix]) => path.startsWith(prefix)) ?? []
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const proof = client ? await clientProof() : {}
  const response = await fetch(new URL(path, service), {
    method: form ? 'POST' : 'GET',
    redirect: 'manual',
    signal: AbortSignal.timeout(DEADLINE_MS),
    headers: { cookie, ...headers, ...proof.headers },
    ...(form && { body: new URLSearchParams({ ...form, ...proof.form }) }),
  })
  for (const line of response.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)
    cookies.set(name, value)
  }
  return response
}

// The token of the pod (RFC 7523 section 2.2), or the secret of the client.
async function clientProof() {
  if (CLIENT_ASSERTION_FILE) {
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
    const assertion = (await readFile(CLIENT_ASSERTION_FILE, 'utf8')).trim()
    return { form: { client_id: CLIENT_ID, client_assertion_type: type, client_assertion: assertion } }
  }
  const basic = Buffer.from(`${encodeURIComponent(CLIENT_ID)}:${encodeURIComponent(CLIENT_SECRET)}`)
  return { headers: { authorization: `Basic ${basic.toString('base64')}` } }
}

async function json(response) {
  expect(response.ok, `${new URL(response.url).pathname} answers ${response.status}`)
  return response.json()
}

function expect(condition, problem) {
  if (!condition) throw new Error(problem)
}

function say(text) {
  process.stdout.write(`${text}\n`)
}
