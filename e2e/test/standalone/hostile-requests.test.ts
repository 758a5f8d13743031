import { createHmac } from 'node:crypto'
import { hiddenFields } from '@signet/platform/load/http-browser'
import {
  IDENTITY_PROVIDER_CALLBACK,
  SINGLE_LOGOUT_SERVICE,
} from '@signet/protocol/identity-provider-callback'
import type { HttpBrowser } from '@signet/testing/http-browser'
import { tableDigests } from '@signet/testing/stored-rows'
import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import { startSystem } from '@signet/testing/system/start-system'
import { ADMIN_TOKEN, PASSWORD, REDIRECT_URI, WEB_SECRET } from '@signet/testing/system/test-directory'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { send } from './fuzz/raw-request.ts'

// Every path under /ui that answers POST, with a form whose token is right and one field of which is hostile.

interface Target {
  /** The purpose that the token of the form is for. */
  readonly purpose: string
  /** The form holds the id of a pending request or of a session beside its token, or neither. */
  readonly names: 'request' | 'session' | 'nothing'
  /** The text fields that the form reads, with values that have no effect. */
  readonly fields: Readonly<Record<string, string>>
}

const login_name = 'alice'
const password = PASSWORD
const code = '123456'
const response = '{"id":"x"}'
const token = 'ABCD-EFGH-JKMN'
const person = { given_name: 'A', family_name: 'B', email: 'no address', user_name: 'new' }
const names = { given_name: 'Alice', family_name: 'Example', nick_name: 'Al', display_name: 'Alice Example' }

const TARGETS: Readonly<Record<string, Target>> = {
  '/ui/device': { purpose: 'device', names: 'nothing', fields: { user_code: 'BCDF-GHJK' } },
  '/ui/login': { purpose: 'login', names: 'request', fields: { login_name, password: 'wrong' } },
  '/ui/login/identity-provider': { purpose: 'upstream', names: 'request', fields: { provider: 'none' } },
  '/ui/login/identity-provider/password': {
    purpose: 'upstream-password',
    names: 'request',
    fields: { provider: 'none', login_name, password: 'wrong' },
  },
  '/ui/login/identity-provider/unlinked': { purpose: 'unlinked', names: 'request', fields: {} },
  '/ui/login/identity-provider/link': {
    purpose: 'link-account',
    names: 'request',
    fields: { decision: 'perhaps' },
  },
  '/ui/register': { purpose: 'register', names: 'request', fields: { ...person, password: 'short' } },
  '/ui/totp': { purpose: 'totp', names: 'request', fields: { code } },
  '/ui/totp/new': { purpose: 'enrolment', names: 'request', fields: { code } },
  '/ui/password': { purpose: 'new-password', names: 'request', fields: { password } },
  '/ui/passkey': { purpose: 'passkey', names: 'request', fields: { response } },
  '/ui/totp/passkey': { purpose: 'passkey-factor', names: 'request', fields: { response } },
  '/ui/totp/new/passkey': { purpose: 'passkey-enrolment', names: 'request', fields: { response } },
  '/ui/passkeys': { purpose: 'passkeys', names: 'session', fields: { rename: 'none', name: 'Key' } },
  '/ui/passkeys/add': { purpose: 'passkeys', names: 'session', fields: { response } },
  '/ui/passkeys/offer': { purpose: 'passkey-offer', names: 'request', fields: { response } },
  '/ui/passkeys/confirm': { purpose: 'confirm', names: 'session', fields: { password: 'wrong', code } },
  '/ui/passkeys/confirm/passkey': { purpose: 'confirm', names: 'session', fields: { response } },
  '/ui/account/password': {
    purpose: 'own-password',
    names: 'session',
    // With the right one, long text is a password: whether it was set depended on the delay after the failures before.
    fields: { current: 'wrong', password: 'short' },
  },
  '/ui/account/profile': {
    purpose: 'own-profile',
    names: 'session',
    fields: { ...names, preferred_language: 'en' },
  },
  '/ui/account/delete': { purpose: 'own-deletion', names: 'session', fields: { login_name: 'another' } },
  '/ui/account/email': { purpose: 'own-email', names: 'session', fields: { address: 'no address', token } },
  '/ui/account/sessions': { purpose: 'own-sessions', names: 'session', fields: { end: 'none' } },
  '/ui/account/identity-providers': { purpose: 'own-links', names: 'session', fields: { delete: 'none' } },
  '/ui/account/factors': {
    purpose: 'factors',
    names: 'session',
    fields: { change: 'none', trusted: 'none' },
  },
  '/ui/account/factors/totp': { purpose: 'factors', names: 'session', fields: { code, enrolment: 'none' } },
  '/ui/password/forgot': { purpose: 'forgot', names: 'nothing', fields: { login_name: 'nobody' } },
  '/ui/password/reset': { purpose: 'mail-link', names: 'nothing', fields: { token, password } },
  '/ui/invitation': { purpose: 'mail-link', names: 'nothing', fields: { token, password } },
  '/ui/email/verify': { purpose: 'mail-link', names: 'nothing', fields: { token, password } },
  '/ui/accounts': { purpose: 'accounts', names: 'request', fields: { sid: 'none', use: 'none' } },
  '/ui/consent': { purpose: 'consent', names: 'request', fields: { decision: 'perhaps' } },
  '/ui/roles': {
    purpose: 'roles',
    names: 'request',
    fields: { object: 'none', roles: 'none', decision: 'no' },
  },
  '/ui/applications': { purpose: 'applications', names: 'session', fields: { client_id: 'none' } },
  '/ui/logout': { purpose: 'logout', names: 'nothing', fields: {} },
  '/ui/identity-providers/test': { purpose: 'provider-test', names: 'nothing', fields: {} },
  '/ui/impersonation': { purpose: 'impersonation', names: 'nothing', fields: {} },
  '/ui/impersonation/end': { purpose: 'impersonation-end', names: 'session', fields: {} },
}

/** Percent-encoded values of one field. */
const VALUES: Readonly<Record<string, string>> = {
  'U+0000': 'a%00b',
  'half a surrogate pair': 'a%ED%A0%80b',
  'broken percent-encoding': 'a%g0b',
  'invisible characters': 'a%E2%80%8Bb%E2%80%AEc%EF%BB%BFd',
  'bidirectional controls': '%E2%80%AEmoc.elpmaxe%40a%E2%81%A6',
  'long text': 'a'.repeat(50_000),
}
/** Values that no form takes in any field. */
const REFUSED = ['U+0000', 'half a surrogate pair', 'broken percent-encoding']
const FORM = 'application/x-www-form-urlencoded'
const OTHER_TYPES = [
  'application/json',
  'text/plain',
  `${FORM}; charset=utf-16`,
  'multipart/form-data; boundary=x',
  '',
]

const OF_PROVIDERS = [
  ...[IDENTITY_PROVIDER_CALLBACK, SINGLE_LOGOUT_SERVICE],
  '/ui/identity-providers/:providerId/backchannel-logout',
]

/** The services with paths besides pages and the management API of the directory. */
const SERVICES = ['keys', 'login', 'token', 'introspection', 'migration']

let system: InProcessSystem
let browser: HttpBrowser
let sid: string
beforeAll(async () => {
  system = await startSystem({ mode: 'in-process', mailbox: () => undefined })
  browser = system.newBrowser()
  await browser.submit(await browser.open('/ui/account'), { login_name: 'alice', password: PASSWORD })
  sid = hiddenFields(await browser.open('/ui/account/profile')).request ?? ''
  expect(sid).not.toBe('')
}, 60_000)
afterAll(() => system?.stop())

/**
 * The rows of the directory and of the grants, without the audit logs, what counts attempts, messages on their way, the handle
 * that a shown passkey form needs, and the feed of changes, whose rows are deleted by time.
 */
const stored = () =>
  tableDigests(
    async (text, name) => (await system.database.query<object>({ name, text, values: [] })).rows,
    ['directory', 'grants'],
    ['registration_attempt', 'mail_delivery', 'passkey_user', 'change'],
  )

const encoded = (fields: Readonly<Record<string, string>>) =>
  Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)

async function post(path: string, body: string, contentType = FORM) {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { cookie, ...(contentType !== '' && { 'content-type': contentType }) }
  return send(system.base, { method: 'POST', target: path, headers, body })
}

/** The hidden fields of a form that this browser was shown. */
async function hiddenOf({ purpose, names }: Target): Promise<Readonly<Record<string, string>>> {
  const request = names === 'request' ? await pendingRequest() : names === 'session' ? sid : ''
  const csrf = createHmac('sha256', browser.cookies.get('signet.browser') ?? '')
    .update(`${purpose}:${request}`)
    .digest('base64url')
  return { csrf, ...(request !== '' && { request }) }
}

async function pendingRequest(): Promise<string> {
  const query = { client_id: 'web', redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'openid' }
  const page = await browser.open(`/oauth/v2/authorize?${new URLSearchParams({ ...query, prompt: 'login' })}`)
  return hiddenFields(page).request ?? ''
}

it('knows every path that answers POST', () => {
  const forms = [...system.routes.values()]
    .flat()
    .filter(({ path, methods }) => path.startsWith('/ui/') && methods.includes('POST'))
    // They take forms of other sites and of providers, which have no token (tests `upstream` and `upstream-logout` of apps/login).
    .filter(({ path }) => !OF_PROVIDERS.includes(path))
  expect(forms.map(({ path }) => path).sort()).toEqual(Object.keys(TARGETS).sort())
})

it.each(Object.entries(TARGETS))(
  '%s answers hostile fields without an error and without an effect',
  async (path, target) => {
    const hidden = await hiddenOf(target)
    const before = await stored()
    const problems: string[] = []
    const expectRefused = async (what: string, body: string, contentType?: string) => {
      const { status } = await post(path, body, contentType)
      if (status < 400 || status >= 500) problems.push(`${what}: ${status}`)
    }
    for (const field of [...Object.keys(target.fields), ...Object.keys(hidden)]) {
      const others = encoded({ ...target.fields, ...hidden }).filter((pair) => !pair.startsWith(`${field}=`))
      for (const [what, value] of Object.entries(VALUES)) {
        const body = [...others, `${field}=${value}`].join('&')
        if (REFUSED.includes(what)) await expectRefused(`${what} as ${field}`, body)
        else {
          const { status } = await post(path, body)
          if (status >= 500) problems.push(`${what} as ${field}: ${status}`)
        }
      }
      await expectRefused(`two values of ${field}`, [...others, `${field}=a`, `${field}=a`].join('&'))
    }
    const good = encoded({ ...target.fields, ...hidden })
    for (const type of OTHER_TYPES) await expectRefused(`content type "${type}"`, good.join('&'), type)
    await expectRefused('a body of 70,000 bytes', [...good, `more=${'a'.repeat(70_000)}`].join('&'))
    expect(problems).toEqual([])
    const after = await stored()
    const changed = Object.keys(after).filter((table) => after[table] !== before[table])
    // The newest refusals of a known client are kept.
    expect(changed.filter((table) => table !== 'directory.refusal')).toEqual([])
  },
)

/** The parameters of each service, and the members of the JSON bodies of exports, imports, jobs and keys. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  login: [
    ...['client_id', 'redirect_uri', 'response_type', 'response_mode', 'scope', 'state', 'nonce', 'prompt'],
    ...[
      'max_age',
      'ui_locales',
      'login_hint',
      'id_token_hint',
      'acr_values',
      'claims',
      'request',
      'resource',
    ],
    ...['code_challenge', 'code_challenge_method', 'continue', 'posted', 'logout_hint'],
    'post_logout_redirect_uri',
  ],
  token: [
    ...['grant_type', 'code', 'code_verifier', 'refresh_token', 'assertion', 'client_id', 'client_secret'],
    ...['client_assertion', 'client_assertion_type', 'subject_token', 'subject_token_type', 'actor_token'],
    ...['actor_token_type', 'requested_token_type', 'audience', 'scope', 'token', 'token_type_hint'],
  ],
  introspection: ['token', 'token_type_hint', 'access_token', 'client_id', 'client_assertion'],
  migration: ['pageToken'],
}
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  '/admin/v1/export': ['orgIds', 'recipients', 'compression', 'timeout', 'storageOutput', 's3Output'],
  '/admin/v1/import': ['onConflict', 'source', 'dataOrgs', 'dataOrgsS3', 'dataOrgsLocal'],
}
/** Members of the bodies of other paths. Some of these run a job and ignore their body. */
const OTHER_MEMBERS = ['signIns', 'ring', 'algorithm']

interface HostileCall {
  readonly method: string
  readonly target: string
  readonly isForm: boolean
  readonly body?: string
}

/** Requests to one path with a hostile text in each place. */
function hostileCalls(
  service: string,
  path: string,
  methods: readonly string[],
  value: string,
): HostileCall[] {
  const isForm = /^\/(oauth|oidc)\//.test(path)
  const names = ['x', ...(PARAMETERS[service] ?? [])]
  const filled = path.replaceAll(/[:*]\w+/g, 'none')
  const withId = path.replaceAll(/[:*]\w+/g, value.slice(0, 5_000))
  // A request line of more than 16 KiB never reaches a path.
  const queries = names.map((name) => `${filled}?${name}=${value.slice(0, 10_000)}`)
  const gets = methods.includes('GET') ? [withId, ...queries] : []
  const text = value === VALUES['half a surrogate pair'] ? 'a\ud800b' : decodeURIComponent(value)
  const bodies = isForm
    ? names.map((name) => `${name}=${value}`)
    : (MEMBERS[path] ?? OTHER_MEMBERS).flatMap((name) =>
        [text, [text], { path: text, bucket: text, orgs: [{ orgId: text }] }].map((member) =>
          JSON.stringify({ [name]: member }),
        ),
      )
  const posts = methods.includes('POST') ? bodies.map((body) => ({ target: filled, body })) : []
  return [
    ...gets.map((target) => ({ method: 'GET', target, isForm })),
    ...(methods.includes('POST') ? [{ method: 'POST', target: withId, isForm, body: '' }] : []),
    ...posts.map((post) => ({ method: 'POST', isForm, ...post })),
  ]
}

// `apps/directory/test/hostile-input.test.ts` has the operations of the directory.
const servedPaths = () =>
  [...system.routes]
    .flatMap(([service, served]) => served.map((route) => ({ service, ...route })))
    .filter(({ service, path }) => service !== 'directory' && !path.startsWith('/ui/'))

it('knows every service with paths that are neither pages nor of the directory', () => {
  const routes = servedPaths()
  expect(routes.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/oauth/v2/token', '/admin/v1/jobs/:jobId/undo', '/']),
  )
  expect(new Set(routes.map(({ service }) => service))).toEqual(new Set(SERVICES))
})

it.each(SERVICES)(
  'answers hostile text at every path of %s without an error',
  async (service) => {
    const texts = ['U+0000', 'half a surrogate pair', 'invisible characters']
    const calls = servedPaths()
      .filter((route) => route.service === service)
      .flatMap(({ path, methods }) =>
        texts.flatMap((what) => hostileCalls(service, path, methods, VALUES[what] ?? '')),
      )
    const problems: string[] = []
    const work = async () => {
      for (let call = calls.shift(); call !== undefined; call = calls.shift()) {
        const { method, target, isForm, body } = call
        const headers = {
          authorization: isForm ? BASIC : `Bearer ${ADMIN_TOKEN}`,
          ...(body !== undefined && { 'content-type': isForm ? FORM : 'application/json' }),
        }
        const { status } = await send(system.base, {
          method,
          target,
          headers,
          ...(body !== undefined && { body }),
        })
        if (status >= 500)
          problems.push(`${method} ${target.slice(0, 100)} ${body?.slice(0, 100)}: ${status}`)
      }
    }
    await Promise.all(Array.from({ length: 6 }, work))
    expect(problems).toEqual([])
  },
  60_000,
)

const BASIC = `Basic ${Buffer.from(`web:${WEB_SECRET}`).toString('base64')}`
