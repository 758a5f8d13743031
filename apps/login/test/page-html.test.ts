import { RecoveryService } from '@signet/grpc/gen/directory/v1/recovery_service_pb'
import { rpcService } from '@signet/grpc/service'
import { decodeEntities, formOf } from '@signet/platform/load/http-browser'
import { CONSUMER_PREFIXES } from '@signet/protocol/assertion-consumer'
import { size } from '@signet/testing/sizes'
import { openChromium } from '@signet/testing/system/chromium'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { PATHS } from '../src/pages/paths.ts'
import en from '../src/pages/texts/en.json' with { type: 'json' }
import { type PageView, TestBrowser, withoutRandomValues } from './browser.ts'
import { accessibilityProblems, openPage } from './chromium.ts'
import { ownAccountsWith } from './fake-own-account.ts'
import { PASSWORD } from './fake-services.ts'
import { asserted } from './fake-upstream.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'
import { ldapProvider } from './upstream-pages.ts'

let env: TestEnvironment

/** The responses of the directory that a page changes for itself. */
const USUAL = {
  mayDelete: true,
  email: 'alice@acme.localhost',
  emailRefusal: 'invalid',
  verificationRefusal: '',
  deletionRefused: false,
  passwordProblems: ['password_too_short'],
  linkRefusal: '',
  passwordAllowed: true,
  provesAddress: false,
  inviter: '',
  clientId: '',
  isThrottled: false,
  emailVerified: false,
  askedBy: 'administrator',
  hasPassword: true,
}
let directory = { ...USUAL }

const TOKEN = 'a'.repeat(43)
const LINKED = {
  ...{ organizationId: 'acme', userId: 'user1', loginName: 'user1@acme.localhost' },
  ...{ organizationName: 'Acme', application: 'Shop' },
}

const linked = ({ askedBy, passwordAllowed, provesAddress, inviter }: typeof USUAL) => ({
  ...{ askedBy, passwordAllowed, provesAddress, inviter },
})

const services = [
  ownAccountsWith({
    findOwnAccount: async () => ({
      profile: { givenName: 'Alice', familyName: 'Example', displayName: 'Alice "A" Example' },
      ...{ email: directory.email, hasPassword: directory.hasPassword, mayDelete: directory.mayDelete },
      emailVerified: directory.emailVerified,
    }),
    replacePassword: async () =>
      directory.passwordProblems.length > 0
        ? { problems: directory.passwordProblems }
        : { account: { userId: 'user1', organizationId: 'acme' } },
    requestEmailChange: async ({ address }) => ({
      refused: address.includes('@') ? '' : directory.emailRefusal,
    }),
    requestEmailVerification: async () => ({ refused: directory.verificationRefusal }),
    confirmEmailChange: async () => ({ refused: directory.emailRefusal }),
  }),
  rpcService(RecoveryService, {
    requestPasswordReset: async () => {
      env.fakes.requirePresent('directory')
      return { throttled: directory.isThrottled }
    },
    checkMailToken: async ({ token }) => {
      if (directory.linkRefusal !== '') return { refused: directory.linkRefusal }
      return token?.secret === TOKEN || token?.secret === 'ABCD'
        ? { ...LINKED, ...linked(directory) }
        : { refused: 'invalid' }
    },
    setPassword: async ({ password }) =>
      password.length < 8 ? { problems: ['password_too_short'] } : { clientId: directory.clientId },
    verifyEmail: async () => ({ clientId: directory.clientId }),
    notifyNewSignIn: async () => ({}),
  }),
]

beforeAll(async () => {
  env = await startTestEnvironment({ directoryServices: services })
  await asOwner(env.adminUrl, [
    'UPDATE directory.setting SET sends_mail = true',
    `UPDATE directory.application SET home_page = 'https://spa.localhost/', initiate_login_uri = 'https://spa.localhost/login' WHERE client_id = 'spa'`,
    `INSERT INTO directory.organization (organization_id, name, primary_domain) VALUES ('corporate', 'Corporate', 'corp.localhost')`,
    `INSERT INTO directory.organization_domain VALUES ('corporate', 'corp.localhost', true)`,
    `INSERT INTO directory.account (user_id, organization_id, kind, user_name, user_name_key, display_name)
     VALUES ('corp1', 'corporate', 'human', 'corp1', 'corp1', 'Corp1 Example')`,
    `INSERT INTO directory.organization (organization_id, name, primary_domain) VALUES ('directory', 'Directory', 'ldap.localhost')`,
    `INSERT INTO directory.organization_domain VALUES ('directory', 'ldap.localhost', true)`,
    ldapProvider('ldap', 'directory', 'LDAP'),
    `INSERT INTO directory.identity_provider (provider_id, organization_id, name, issuer, client_id, client_authentication, scopes)
     VALUES ('corp', 'corporate', 'Corp "ID"', 'https://idp.localhost', 'signet', 'none', '{openid}')`,
    `INSERT INTO directory.organization_policy VALUES ('globex', 'login', '{"identifierFirst": true, "allowRegister": true}')`,
    `INSERT INTO directory.organization_policy VALUES ('globex', 'password_complexity', '{"hasUppercase": true, "hasLowercase": true, "hasNumber": true, "hasSymbol": true}')`,
    `INSERT INTO directory.organization_policy VALUES ('globex', 'privacy', '{"tosLink": "https://globex.localhost/terms", "privacyLink": "https://globex.localhost/privacy", "helpLink": "https://globex.localhost/help", "docsLink": "https://globex.localhost/docs", "supportEmail": "help@globex.localhost"}')`,
  ])
})
afterAll(() => env?.stop())
beforeEach(async () => {
  await env.redis.flushdb()
  directory = { ...USUAL }
  env.fakes.secrets.length = 0
  env.upstream.reset()
  env.upstream.answers.set('alice', asserted('alice'))
  for (const known of [
    ...(['forced', 'passwordChanges', 'refusedRules', 'passkeys', 'passkeyOffers', 'enrolled'] as const),
    ...(['recoveryCodes', 'trustKeys', 'trustedBrowsers', 'offers', 'grants', 'consents'] as const),
    ...(['stopped', 'totpCodes', 'away'] as const),
  ]) {
    env.fakes[known].clear()
  }
})

/** The requests so far, such as `GET /ui/login`. */
const requested = new Set<string>()
/** The visible words of all pages. */
const shown: string[] = []
/** The pages by the ids in them, which differ where their parts do. */
const pages = new Map<string, { readonly name: string; readonly body: string }>()

class RecordingBrowser extends TestBrowser {
  override async get(path: string): Promise<PageView> {
    requested.add(`GET ${new URL(path, env.issuer).pathname.replace('/corp/', '/:providerId/')}`)
    return super.get(path)
  }

  override async post(...[path, ...more]: Parameters<TestBrowser['post']>): Promise<PageView> {
    requested.add(`POST ${new URL(path, env.issuer).pathname.replace('/corp/', '/:providerId/')}`)
    return super.post(path, ...more)
  }
}

/** Follows the request of an application to the page that it leads to. */
const authorize = (browser: TestBrowser, parameters: Readonly<Record<string, string>> = {}) =>
  env.authorize(browser, parameters)

const GLOBEX = { scope: 'openid urn:service:iam:org:id:globex' }

/** Enters a password on the page of a new request, and follows to the next page. */
async function password(
  browser: TestBrowser,
  loginName: string,
  more: Readonly<Record<string, string>> = {},
) {
  const page = await authorize(browser, { prompt: 'login' })
  return browser.follow(await browser.submit(page, { login_name: loginName, password: PASSWORD, ...more }))
}

async function signedIn(browser: TestBrowser, ...loginNames: string[]) {
  for (const loginName of loginNames) await password(browser, loginName)
  return browser
}

/** The page of a form with the values of a person. */
async function filled(browser: TestBrowser, path: string, values: Readonly<Record<string, string>>) {
  return browser.follow(await browser.submit(await browser.get(path), values))
}

/** Submits the form with this action. */
function submitTo(
  browser: TestBrowser,
  page: PageView,
  action: string,
  values: Readonly<Record<string, string>>,
) {
  const form = page.body.slice(page.body.indexOf(`action="${action}`))
  const { fields } = formOf({ ...page, body: `<form ${form.slice(0, form.indexOf('</form>'))}</form>` })
  const [, request = ''] = /name="request" type="hidden" value="([^"]*)"/.exec(form) ?? []
  const [, csrf = ''] = /name="csrf" type="hidden" value="([^"]*)"/.exec(form) ?? []
  return browser.post(action, { ...(csrf !== '' && { request, csrf }), ...fields, ...values })
}

/** Opens the first link with this id. */
async function open(browser: TestBrowser, page: PageView, id: string) {
  const [, path = ''] = new RegExp(`<a[^>]*id="${id}"[^>]*href="([^"]*)"`).exec(page.body) ?? []
  return browser.follow(await browser.get(decodeEntities(path)))
}

async function unconfirmed(browser: TestBrowser, path: string) {
  await signedIn(browser, 'user1')
  env.clock.advance(11 * 60_000)
  return browser.follow(await browser.get(path))
}

/** The response of a passkey that no account has, to the challenge of a page or another one. */
function unknownPasskey({ body }: Pick<PageView, 'body'>): string {
  const [, challenge = 'other'] = /challenge&quot;:&quot;([^&]*)/.exec(body) ?? []
  const clientDataJSON = Buffer.from(JSON.stringify({ challenge })).toString('base64url')
  return JSON.stringify({ id: 'ZZZZ', response: { clientDataJSON } })
}

const NO_PASSKEY = unknownPasskey({ body: '' })

const WRONG_CODE = { user_code: 'BCDF-GHJK' }

/** Enters the code of a device and signs in. */
async function deviceConsent(browser: TestBrowser): Promise<PageView> {
  const { user_code: code } = await env.beginDevice()
  const page = await filled(browser, PATHS.device, { user_code: code })
  return browser.follow(await browser.submit(page, { login_name: 'user1', password: PASSWORD }))
}

/** Answers the consent page of a device, and opens the page that ends the request. */
async function toDone(browser: TestBrowser, page: PageView, decision: string): Promise<PageView> {
  const answered = await browser.follow(await browser.submit(page, { decision }))
  return browser.get(answered.location.slice(env.issuer.length))
}

type Steps = (browser: TestBrowser) => Promise<PageView>

/** Runs the work while the directory is away. */
async function whileAway(work: () => Promise<PageView>) {
  env.fakes.away.add('directory')
  const page = await work()
  env.fakes.away.clear()
  return page
}

const SIGN_IN: Readonly<Record<string, Steps>> = {
  'sign-in': (browser) => authorize(browser),
  'sign-in, refused': async (browser) =>
    browser.submit(await authorize(browser), { login_name: 'user1', password: 'wrong' }),
  'sign-in, missing values': async (browser) => browser.submit(await authorize(browser)),
  'sign-in, forbidden': async (browser) => {
    env.fakes.refusedRules.set('user1', 'password_sign_in_not_allowed')
    return password(browser, 'user1')
  },
  'sign-in, unavailable': async (browser) => {
    const page = await authorize(browser)
    return whileAway(() => browser.submit(page, { login_name: 'user1', password: PASSWORD }))
  },
  'sign-in, throttled': async (browser) => {
    env.fakes.maxPasswordAttempts = 1
    const page = await authorize(browser)
    const wrong = { login_name: 'user1', password: 'wrong' }
    await browser.submit(page, wrong)
    await browser.submit(page, wrong)
    const throttled = await browser.submit(page, wrong)
    env.fakes.maxPasswordAttempts = 5
    return throttled
  },
  'sign-in, throttled for minutes': async (browser) => {
    env.fakes.maxPasswordAttempts = 1
    const page = await authorize(browser)
    let last = page
    while (!last.body.includes('minutes')) {
      last = await browser.submit(page, { login_name: 'user1', password: 'wrong' })
      if (last.status === 429) env.clock.advance(Number(last.headers['retry-after']) * 1000 - 999)
      env.clock.advance(1)
      if (last.status === 429 && Number(last.headers['retry-after']) < 60) env.clock.advance(999)
    }
    env.fakes.maxPasswordAttempts = 5
    return last
  },
  'sign-in with links of the organization': (browser) => authorize(browser, GLOBEX),
  'password after the login name': async (browser) =>
    browser.follow(await browser.submit(await authorize(browser, GLOBEX), { login_name: 'globex1' })),
  'sign-in with a passkey, refused': async (browser) =>
    submitTo(browser, await authorize(browser), PATHS.passkey, { response: NO_PASSKEY }),
  'sign-in with a passkey, not accepted': async (browser) => {
    const page = await authorize(browser)
    return submitTo(browser, page, PATHS.passkey, { response: unknownPasskey(page) })
  },
  'second factor': (browser) => password(browser, 'totpuser'),
  'second factor, missing': async (browser) => browser.submit(await password(browser, 'totpuser')),
  'second factor, refused': async (browser) =>
    browser.submit(await password(browser, 'totpuser'), { code: '000000' }),
  'second factor, unavailable': async (browser) => {
    const page = await password(browser, 'totpuser')
    return whileAway(() => browser.submit(page, { code: '000000' }))
  },
  'second factor with recovery codes': async (browser) => {
    env.fakes.recoveryCodes.set('totpuser', new Set(['aaaa']))
    return password(browser, 'totpuser')
  },
  'recovery code, refused': async (browser) => {
    env.fakes.recoveryCodes.set('totpuser', new Set(['aaaa']))
    return browser.submit(await password(browser, 'totpuser'), { code: 'zzzz' })
  },
  'passkey as second factor': async (browser) => {
    env.fakes.forced.add('acme')
    env.fakes.passkeys.set('user2', ['AAAA'])
    return password(browser, 'user2')
  },
  'passkey or code as second factor': async (browser) => {
    env.fakes.passkeys.set('totpuser', ['AAAA'])
    return password(browser, 'totpuser')
  },
  'passkey as second factor, too late': async (browser) => {
    env.fakes.forced.add('acme')
    env.fakes.passkeys.set('user2', ['AAAA'])
    return submitTo(browser, await password(browser, 'user2'), PATHS.passkeyFactor, { response: NO_PASSKEY })
  },
  'second factor that no longer counts': async (browser) => {
    env.fakes.forced.add('acme')
    env.fakes.stopped.add('user1')
    return password(browser, 'user1')
  },
  'second factor that no longer counts, with recovery codes': async (browser) => {
    env.fakes.forced.add('acme')
    env.fakes.stopped.add('user1')
    env.fakes.recoveryCodes.set('user1', new Set(['aaaa']))
    return password(browser, 'user1')
  },
  'second factor to add': async (browser) => {
    env.fakes.forced.add('acme')
    return password(browser, 'user1')
  },
  'second factor to add, refused': async (browser) => {
    env.fakes.forced.add('acme')
    return browser.submit(await password(browser, 'user1'), { code: '000000' })
  },
  'second factor to add with a passkey, too late': async (browser) => {
    env.fakes.forced.add('acme')
    return submitTo(browser, await password(browser, 'user1'), PATHS.passkeyEnrolment, {
      response: NO_PASSKEY,
    })
  },
  'recovery codes of a new second factor': async (browser) => {
    env.fakes.forced.add('acme')
    env.fakes.totpCodes.add('123456')
    return browser.submit(await password(browser, 'user1'), { code: '123456' })
  },
  'new password': async (browser) => {
    env.fakes.passwordChanges.add('user1')
    return password(browser, 'user1')
  },
  'new password, too short': async (browser) => {
    env.fakes.passwordChanges.add('user1')
    return browser.submit(await password(browser, 'user1'), { password: 'short' })
  },
  'new password, the same': async (browser) => {
    env.fakes.passwordChanges.add('user1')
    return browser.submit(await password(browser, 'user1'), { password: PASSWORD })
  },
  'new password, unavailable': async (browser) => {
    env.fakes.passwordChanges.add('user1')
    const page = await password(browser, 'user1')
    return whileAway(() => browser.submit(page, { password: 'Correct-horse-10' }))
  },
  registration: (browser) => authorize(browser, { prompt: 'create' }),
  'registration with links of the organization': (browser) =>
    authorize(browser, { ...GLOBEX, prompt: 'create', login_hint: 'new@globex.localhost' }),
  'registration, missing values': async (browser) =>
    browser.submit(await authorize(browser, { prompt: 'create' }), { user_name: 'user4' }),
  'registration, every problem': async (browser) => {
    const fields = ['user_name', 'email', 'given_name', 'family_name', 'password'] as const
    const page = await authorize(browser, { prompt: 'create' })
    for (const code of Object.keys(en.register.problems).filter((one) => one !== 'not_allowed')) {
      env.fakes.registrationProblems.push({ field: code.startsWith('password') ? 'password' : 'email', code })
    }
    env.fakes.registrationProblems.push({ field: 'given_name', code: 'invalid' })
    return browser.submit(page, Object.fromEntries(fields.map((field) => [field, 'x'])))
  },
  'registration, not allowed': async (browser) => {
    env.fakes.registrationProblems.push({ field: '', code: 'not_allowed' })
    const values = { user_name: 'x', email: 'x', given_name: 'x', family_name: 'x', password: 'x' }
    return browser.submit(await authorize(browser, { prompt: 'create' }), values)
  },
  'registration, unavailable': async (browser) => {
    const page = await authorize(browser, { prompt: 'create' })
    const values = { user_name: 'x', email: 'x', given_name: 'x', family_name: 'x', password: 'x' }
    return whileAway(() => browser.submit(page, values))
  },
  'choice of the account': async (browser) =>
    authorize(await signedIn(browser, 'user1', 'globex1'), { prompt: 'select_account', login_hint: 'user1' }),
  'choice of the account, chosen': async (browser) => {
    const page = await authorize(await signedIn(browser, 'user1'), { prompt: 'select_account' })
    const [, sid = ''] = /name="sid" value="([^"]*)"/.exec(page.body) ?? []
    return browser.submit(page, { sid })
  },
  'sign-in beside the choice': async (browser) => {
    const page = await authorize(await signedIn(browser, 'user1'), { prompt: 'select_account' })
    return open(browser, page, 'account-other')
  },
  consent: async (browser) =>
    authorize(await signedIn(browser, 'user1'), {
      prompt: 'consent',
      scope: `${Object.keys(en.consent.scopes).join(' ')} ${CONSENTED.join(' ')}`,
    }),
  'consent for an application of another organization': async (browser) => {
    env.fakes.consents.set('user1 lunch-menu', new Set(['email']))
    const page = await authorize(await signedIn(browser, 'user1'), {
      ...{ client_id: 'lunch-menu', redirect_uri: 'https://lunch.localhost/callback' },
      ...{ prompt: 'consent', scope: 'openid email' },
    })
    return page
  },
  'code of a device': (browser) => browser.get(PATHS.device),
  'code of a device, in the address': (browser) => browser.get(`${PATHS.device}?user_code=bcdf-ghjk`),
  'code of a device, missing': (browser) => filled(browser, PATHS.device, {}),
  'code of a device, unknown': (browser) => filled(browser, PATHS.device, WRONG_CODE),
  'code of a device, throttled': async (browser) => {
    for (let wrong = 0; wrong < 5; wrong += 1) await filled(browser, PATHS.device, WRONG_CODE)
    return filled(browser, PATHS.device, WRONG_CODE)
  },
  'code of a device, throttled for minutes': async (browser) => {
    let last = await browser.get(PATHS.device)
    while (!last.body.includes('minutes')) {
      last = await filled(browser, PATHS.device, WRONG_CODE)
      const seconds = Number(last.headers['retry-after'])
      if (last.status === 429 && !last.body.includes('minutes')) env.clock.advance(seconds * 1000)
    }
    return last
  },
  'consent for a device': deviceConsent,
  'consent for a device, allowed': async (browser) => toDone(browser, await deviceConsent(browser), 'allow'),
  'consent for a device, denied': async (browser) => toDone(browser, await deviceConsent(browser), 'deny'),
  'consent for a device, answered elsewhere': async (browser) => {
    const page = await deviceConsent(browser)
    env.fakes.devices.clear()
    return toDone(browser, page, 'allow')
  },
  'consent, denied': async (browser) =>
    browser.submit(await authorize(await signedIn(browser, 'user1'), { prompt: 'consent' }), {
      decision: 'deny',
    }),
  'offered roles': async (browser) => {
    env.fakes.offers.set('user1', [offer(Object.keys(en.offeredRoles.names))])
    return password(browser, 'user1')
  },
  'offered roles of an organization, accepted': async (browser) => {
    env.fakes.offers.set('user1', [
      { ...offer(['ORG_OWNER']), projectId: '', projectName: '' },
      offer(['PROJECT_SPECIAL']),
    ])
    const page = await password(browser, 'user1')
    shown.push(page.text)
    return browser.follow(await browser.submit(page, { decision: 'accept' }))
  },
  'offered passkey': async (browser) => {
    env.fakes.passkeyOffers.add('user1')
    return password(browser, 'user1', { passkey_capable: 'yes' })
  },
  'offered passkey, skipped': async (browser) => {
    env.fakes.passkeyOffers.add('user1')
    const page = await password(browser, 'user1', { passkey_capable: 'yes' })
    return browser.submit(page)
  },
}

const CONSENTED = [
  ...['org:project:id:portal:aud', 'org:projects:roles', 'user:metadata', 'user:resourceowner'],
].map((scope) => `urn:service:iam:${scope}`)

const offer = (roles: string[]) => ({
  ...{ organizationId: 'partner', organizationName: 'Partner' },
  ...{ projectId: 'depot', projectName: 'Depot', roles },
})

const CORPORATE = { scope: 'openid urn:service:iam:org:id:corporate' }

/** Presses the button of the provider. */
const toProvider = async (browser: TestBrowser) =>
  submitTo(browser, await authorize(browser, CORPORATE), PATHS.upstream, { provider: 'corp' })

/** Comes back from the provider. */
async function fromProvider(browser: TestBrowser): Promise<PageView> {
  const away = await toProvider(browser)
  const state = new URL(away.location).searchParams.get('state') ?? ''
  const query = new URLSearchParams({ state, code: 'alice' })
  return browser.follow(await browser.get(`/ui/identity-providers/corp/callback?${query}`))
}

/** Signs in to an account after the provider asserted a person without one. */
async function toLink(browser: TestBrowser): Promise<PageView> {
  const login = await open(browser, await fromProvider(browser), 'unlinked-link')
  return browser.follow(await browser.submit(login, { login_name: 'corp1', password: PASSWORD }))
}

async function refusedBy(refusal: object, browser: TestBrowser) {
  env.upstream.answers.set('alice', { refusal })
  return fromProvider(browser)
}

/** Opens the page for name and password at a directory. */
async function toDirectory(browser: TestBrowser): Promise<PageView> {
  const page = await authorize(browser, { scope: 'openid urn:service:iam:org:id:directory' })
  return browser.follow(await submitTo(browser, page, PATHS.upstream, { provider: 'ldap' }))
}

const TEST_LINK = `${PATHS.upstreamTest}?token=${TOKEN}`

/** Opens the link of a test of an identity provider. */
function openTest(browser: TestBrowser, userId = '') {
  env.upstream.tests.set(TOKEN, userId)
  return browser.get(TEST_LINK)
}

function openDirectoryTest(browser: TestBrowser) {
  env.upstream.testedType = 'ldap'
  return openTest(browser)
}

/** Ends a test with this outcome. */
async function testedAs(outcome: string, browser: TestBrowser): Promise<PageView> {
  env.upstream.testOutcome = outcome
  const away = await browser.submit(await openTest(browser))
  const state = new URL(away.location).searchParams.get('state') ?? ''
  return browser.get(`/ui/identity-providers/corp/callback?${new URLSearchParams({ state, code: 'alice' })}`)
}

const TEST_OUTCOMES = Object.keys(en.providerTest.outcomes)

const UPSTREAM: Readonly<Record<string, Steps>> = {
  'test of an identity provider': (browser) => openTest(browser),
  'test of an identity provider, expired': (browser) => browser.get(TEST_LINK),
  'test of a directory': (browser) => openDirectoryTest(browser),
  'test of a directory, without a password': async (browser) =>
    browser.submit(await openDirectoryTest(browser), { login_name: 'alice' }),
  'test of an identity provider, of another person': (browser) => openTest(browser, 'another'),
  ...Object.fromEntries(
    TEST_OUTCOMES.map((outcome) => [
      `result of a test of an identity provider, ${outcome}`,
      (browser: TestBrowser) => testedAs(outcome, browser),
    ]),
  ),
  'name and password at a directory': (browser) => toDirectory(browser),
  'name and password at a directory, wrong': async (browser) =>
    browser.submit(await toDirectory(browser), { login_name: 'alice', password: 'wrong' }),
  'sign-in with an identity provider': (browser) => authorize(browser, CORPORATE),
  'identity provider, away': async (browser) => {
    env.upstream.isAway = true
    return browser.follow(await toProvider(browser))
  },
  'identity provider, declined': (browser) => refusedBy({ rule: 'upstream_error', declined: true }, browser),
  'identity provider, refused': (browser) => refusedBy({ rule: 'issuer_differs' }, browser),
  // The form of a SAML provider, which another site posts.
  'answer of an identity provider by a form': async (browser) => {
    const away = await toProvider(browser)
    const state = new URL(away.location).searchParams.get('state') ?? ''
    return browser.post('/ui/identity-providers/corp/callback', { SAMLResponse: 'PHg+', RelayState: state })
  },
  'answer of an identity provider to no request': (browser) =>
    browser.post('/ui/identity-providers/corp/callback', { SAMLResponse: 'PHg+' }),
  'identity provider that is not offered': async (browser) =>
    browser.follow(
      await submitTo(browser, await authorize(browser, CORPORATE), PATHS.upstream, { provider: 'other' }),
    ),
  'identity provider, forbidden': async (browser) => {
    env.upstream.refused.set('alice', 'no_account')
    return fromProvider(browser)
  },
  'person without an account': (browser) => fromProvider(browser),
  'person without an account, who may make none': async (browser) => {
    env.upstream.unlinked = { mayLink: true, mayCreate: false }
    return fromProvider(browser)
  },
  'person without an account, who may link none': async (browser) => {
    env.upstream.unlinked = { mayLink: false, mayCreate: true }
    return fromProvider(browser)
  },
  'new account, forbidden': async (browser) => {
    const page = await fromProvider(browser)
    env.upstream.refused.set('alice', 'user_name_taken')
    return browser.submit(page)
  },
  'link of an account': toLink,
  'link of an account, refused': async (browser) => {
    env.upstream.linkRefusal = 'linked_to_another_account'
    return browser.submit(await toLink(browser), { decision: 'accept' })
  },
  'own links': async (browser) => {
    env.upstream.links.set('alice', 'corp1')
    await signedIn(browser, 'corp1')
    return browser.get(PATHS.ownLinks)
  },
  'own links, none': async (browser) => {
    await signedIn(browser, 'corp1')
    return browser.get(PATHS.ownLinks)
  },
  'own links, unconfirmed': (browser) => {
    env.upstream.links.set('alice', 'corp1')
    return unconfirmed(browser, PATHS.ownLinks)
  },
  'own account with a link': async (browser) => {
    env.upstream.links.set('alice', 'corp1')
    await signedIn(browser, 'corp1')
    return browser.get(PATHS.account)
  },
  'end of a link': async (browser) => {
    env.upstream.links.set('alice', 'corp1')
    await signedIn(browser, 'corp1')
    return filled(browser, PATHS.ownLinks, { delete: 'alice' })
  },
  'end of the only way in, refused': async (browser) => {
    env.upstream.links.set('alice', 'corp1')
    env.upstream.deletionRefusal = 'no_other_way_in'
    await signedIn(browser, 'corp1')
    return browser.submit(await filled(browser, PATHS.ownLinks, { delete: 'alice' }))
  },
  'confirmation without a password': async (browser) => {
    env.upstream.links.set('alice', 'corp1')
    directory.hasPassword = false
    await fromProvider(browser)
    env.clock.advance(11 * 60_000)
    return open(browser, await browser.get(PATHS.ownLinks), 'links-confirm')
  },
}

const RECOVERY: Readonly<Record<string, Steps>> = {
  'forgotten password': (browser) => browser.get(PATHS.forgot),
  'forgotten password from a sign-in': async (browser) =>
    open(browser, await authorize(browser), 'login-forgot'),
  'forgotten password, missing name': (browser) => filled(browser, PATHS.forgot, {}),
  'forgotten password, sent': async (browser) =>
    browser.submit(await open(browser, await authorize(browser), 'login-forgot'), { login_name: 'user1' }),
  'forgotten password, throttled': (browser) => {
    directory.isThrottled = true
    return filled(browser, PATHS.forgot, { login_name: 'user1' })
  },
  'forgotten password, unavailable': async (browser) => {
    const page = await browser.get(PATHS.forgot)
    return whileAway(() => browser.submit(page, { login_name: 'user1' }))
  },
  'link of a reset': (browser) => browser.get(`${PATHS.reset}?token=${TOKEN}`),
  'link of a reset that proves the address': (browser) => {
    directory.provesAddress = true
    return browser.get(`${PATHS.reset}?token=${TOKEN}`)
  },
  'link of a reset, missing password': (browser) =>
    filled(browser, `${PATHS.reset}?token=${TOKEN}`, { password: '' }),
  'link of a reset, too short': (browser) =>
    filled(browser, `${PATHS.reset}?token=${TOKEN}`, { password: 'short' }),
  'link of a reset, done': (browser) =>
    filled(browser, `${PATHS.reset}?token=${TOKEN}`, { password: 'long enough' }),
  'link of a reset, invalid': (browser) => browser.get(`${PATHS.reset}?token=other`),
  'link of a reset, too many codes': (browser) => {
    directory.linkRefusal = 'throttled'
    return browser.get(`${PATHS.reset}?token=${TOKEN}`)
  },
  'link of a reset, passwords are not allowed': (browser) => {
    directory.linkRefusal = 'password_sign_in_not_allowed'
    return browser.get(`${PATHS.reset}?token=${TOKEN}`)
  },
  invitation: (browser) => browser.get(`${PATHS.invitation}?token=${TOKEN}`),
  'invitation of a person with a name': (browser) => {
    directory.inviter = 'Dora "D" Example'
    return browser.get(`${PATHS.invitation}?token=${TOKEN}`)
  },
  'invitation to an application, done': (browser) => {
    directory.clientId = 'spa'
    return filled(browser, `${PATHS.invitation}?token=${TOKEN}`, { password: 'long enough' })
  },
  'invitation, too short': (browser) =>
    filled(browser, `${PATHS.invitation}?token=${TOKEN}`, { password: 'short' }),
  'address to confirm': (browser) => browser.get(PATHS.verifyEmail),
  'address to confirm, code': (browser) => filled(browser, PATHS.verifyEmail, { token: 'ABCD' }),
  'address to confirm, code refused': (browser) => filled(browser, PATHS.verifyEmail, { token: 'none' }),
  'address to confirm, password too short': (browser) =>
    filled(browser, `${PATHS.verifyEmail}?token=${TOKEN}`, { password: 'short' }),
  'address to confirm, passwords are not allowed': (browser) => {
    directory.passwordAllowed = false
    return browser.get(`${PATHS.verifyEmail}?token=${TOKEN}`)
  },
  'address to confirm, password set': (browser) =>
    filled(browser, `${PATHS.verifyEmail}?token=${TOKEN}`, { password: 'long enough' }),
  'address to confirm, asked for by a registration': (browser) => {
    directory.askedBy = 'registration'
    return browser.get(`${PATHS.verifyEmail}?token=${TOKEN}`)
  },
  'address to confirm in a session': async (browser) =>
    (await signedIn(browser, 'user1')).get(`${PATHS.verifyEmail}?token=${TOKEN}`),
  'address to confirm in a session, done, for an application': async (browser) => {
    directory.clientId = 'spa'
    return filled(await signedIn(browser, 'user1'), `${PATHS.verifyEmail}?token=${TOKEN}`, {})
  },
  'address to confirm in a session, done': async (browser) =>
    filled(await signedIn(browser, 'user1'), `${PATHS.verifyEmail}?token=${TOKEN}`, {}),
}

const own =
  (path: string): Steps =>
  async (browser) =>
    (await signedIn(browser, 'user1')).get(path)
const ownFilled =
  (path: string, values: Readonly<Record<string, string>>): Steps =>
  async (browser) =>
    filled(await signedIn(browser, 'user1'), path, values)

async function removal(browser: TestBrowser, change: string) {
  env.fakes.enrolled.add('user1')
  env.fakes.recoveryCodes.set('user1', new Set(['aaaa', 'bbbb']))
  const page = await password(browser, 'user1')
  env.fakes.totpCodes.add('123456')
  await browser.follow(await browser.submit(page, { code: '123456' }))
  return browser.submit(await browser.get(PATHS.factors), { change })
}

const OWN: Readonly<Record<string, Steps>> = {
  account: async (browser) => (await signedIn(browser, 'user2', 'user1')).get(PATHS.account),
  'account by a short address': (browser) => browser.get(PATHS.accountShort),
  'account by the prefix of the pages': (browser) => browser.get(PATHS.ui),
  'account with a confirmed address': async (browser) => {
    directory.emailVerified = true
    return own(PATHS.account)(browser)
  },
  'account without address, not to delete': async (browser) => {
    Object.assign(directory, { email: '', mayDelete: false })
    return (await signedIn(browser, 'user1')).get(PATHS.account)
  },
  ...Object.fromEntries(
    ['', 'no_server', 'limited'].map((refusal): [string, Steps] => [
      `account, message sent again${refusal && `, refused: ${refusal}`}`,
      async (browser) => {
        directory.verificationRefusal = refusal
        return ownFilled(PATHS.account, { verify: 'yes' })(browser)
      },
    ]),
  ),
  'account after a new password': async (browser) => {
    directory.passwordProblems = []
    return ownFilled(PATHS.ownPassword, { current: PASSWORD, password: 'Correct-horse-10' })(browser)
  },
  'own password': own(PATHS.ownPassword),
  'own password, missing': ownFilled(PATHS.ownPassword, {}),
  'own password, too short': ownFilled(PATHS.ownPassword, { current: PASSWORD, password: 'short' }),
  'own password, wrong': ownFilled(PATHS.ownPassword, { current: 'wrong', password: 'Correct-horse-10' }),
  'own profile': own(PATHS.ownProfile),
  'own profile, saved': own(`${PATHS.ownProfile}?done=profile`),
  'own profile, refused': ownFilled(PATHS.ownProfile, { preferred_language: 'xx' }),
  'own address': own(PATHS.ownEmail),
  ...Object.fromEntries(
    (['invalid', 'same', 'no_server', 'limited'] as const).map((refusal): [string, Steps] => [
      `own address, refused: ${refusal}`,
      (browser) => {
        directory.emailRefusal = refusal
        return ownFilled(PATHS.ownEmail, { address: 'none' })(browser)
      },
    ]),
  ),
  'own address, code': ownFilled(PATHS.ownEmail, { address: 'new@acme.localhost' }),
  ...Object.fromEntries(
    (['invalid', 'throttled'] as const).map((refusal): [string, Steps] => [
      `own address, code refused: ${refusal}`,
      async (browser) => {
        directory.emailRefusal = refusal
        const page = await ownFilled(PATHS.ownEmail, { address: 'new@acme.localhost' })(browser)
        return browser.submit(page, { token: 'none' })
      },
    ]),
  ),
  'own address, link': own(`${PATHS.ownEmail}?token=token-of-user1`),
  'own address, link without a session': (browser) => browser.get(`${PATHS.ownEmail}?token=token-of-user2`),
  'own address, link refused': (browser) => browser.get(`${PATHS.ownEmail}?token=none`),
  'own data': own(PATHS.ownData),
  'own sessions': async (browser) => {
    await signedIn(env.newBrowser(), 'user1')
    return own(PATHS.ownSessions)(browser)
  },
  'own sessions, others ended': ownFilled(PATHS.ownSessions, { end: 'none' }),
  'deletion of the account': own(PATHS.ownDeletion),
  'deletion of the account, other name': ownFilled(PATHS.ownDeletion, { login_name: 'other' }),
  'deletion of the account, forbidden': async (browser) => {
    directory.mayDelete = false
    return own(PATHS.ownDeletion)(browser)
  },
  'deletion of the account, done': ownFilled(PATHS.ownDeletion, { login_name: 'user1@acme.localhost' }),
  'own applications': async (browser) => {
    await signedIn(browser, 'user1', 'globex1')
    env.fakes.grants.set('user1 native', ['openid', 'profile', 'offline_access'])
    env.fakes.consents.set('user1 web', new Set(['openid', 'email']))
    return browser.get(PATHS.applications)
  },
  'own applications, by an identity assertion': async (browser) => {
    await signedIn(browser, 'user1')
    env.fakes.grants.set('user1 native', ['openid'])
    env.fakes.assertedGrants.add('user1 native')
    const page = await browser.get(PATHS.applications)
    env.fakes.assertedGrants.clear()
    return page
  },
  'own applications, access ended': async (browser) => {
    env.fakes.grants.set('user1 native', ['openid'])
    return ownFilled(PATHS.applications, { client_id: 'native' })(browser)
  },
  'own applications without a session': (browser) => browser.get(PATHS.applications),
  'own second factors': async (browser) => {
    await signedIn(browser, 'user1', 'user2')
    env.fakes.enrolled.add('user2')
    env.fakes.trustKeys.set('user2', 'key')
    env.fakes.recoveryCodes.set('user2', new Set(['aaaa']))
    env.fakes.trustedBrowsers.set('first', { userId: 'user2', agent: 'Firefox, Linux' })
    env.fakes.trustedBrowsers.set('second', { userId: 'user2', agent: '' })
    return browser.get(PATHS.factors)
  },
  'own second factors, confirmed': async (browser) => {
    await removal(browser, 'none')
    return browser.get(PATHS.factors)
  },
  'own second factors, refused': async (browser) => removal(browser, 'none'),
  'own second factors with a passkey alone': async (browser) => {
    await signedIn(browser, 'user1')
    env.fakes.passkeys.set('user1', ['AAAA'])
    return browser.get(PATHS.factors)
  },
  'own second factors without recovery codes': async (browser) => {
    await removal(browser, 'none')
    env.fakes.recoveryCodes.clear()
    return browser.get(PATHS.factors)
  },
  'own second factors without a session': (browser) => browser.get(PATHS.factors),
  'removal of the authenticator': (browser) => removal(browser, 'totp-delete'),
  'removal of the authenticator, done': async (browser) =>
    browser.submit(await removal(browser, 'totp-delete'), { others: 'yes' }),
  'renewal of recovery codes': (browser) => removal(browser, 'codes'),
  'new authenticator': own(PATHS.newTotp),
  'new authenticator of the account': async (browser) =>
    open(browser, await own(PATHS.factors)(browser), 'account-1-totp-add'),
  'new authenticator, refused': async (browser) =>
    browser.submit(await open(browser, await own(PATHS.factors)(browser), 'account-1-totp-add'), {
      code: '000000',
    }),
  'new authenticator, recovery codes': async (browser) => {
    env.fakes.totpCodes.add('123456')
    const page = await open(browser, await own(PATHS.factors)(browser), 'account-1-totp-add')
    return browser.submit(page, { code: '123456' })
  },
  'own passkeys': async (browser) => {
    await signedIn(browser, 'user1')
    env.fakes.passkeys.set('user1', ['AAAA', 'BBBB'])
    return browser.get(PATHS.passkeys)
  },
  'own passkeys, none': own(PATHS.passkeys),
  'own passkeys, unnamed': async (browser) => {
    await signedIn(browser, 'user1')
    env.fakes.passkeys.set('user1', ['AAAA'])
    return browser.submit(await browser.get(PATHS.passkeys), { rename: 'AAAA', name: ' ' })
  },
  'own passkeys, addition too late': async (browser) =>
    submitTo(browser, await own(PATHS.passkeys)(browser), PATHS.passkeyAdd, { response: NO_PASSKEY }),
  'own passkeys without a session': (browser) => browser.get(PATHS.passkeys),
  'confirmation of the person': (browser) => unconfirmed(browser, PATHS.ownEmail),
  'confirmation of the person, refused': async (browser) =>
    browser.submit(await unconfirmed(browser, PATHS.ownEmail), { password: 'wrong' }),
  'confirmation of the person with a code': async (browser) => {
    env.fakes.enrolled.add('user1')
    const page = await password(browser, 'user1')
    env.fakes.totpCodes.add('123456')
    await browser.follow(await browser.submit(page, { code: '123456' }))
    env.clock.advance(11 * 60_000)
    return browser.follow(await browser.get(PATHS.ownEmail))
  },
  'confirmation of the person with a code or recovery code': async (browser) => {
    await removal(browser, 'none')
    env.clock.advance(11 * 60_000)
    return browser.follow(await browser.get(PATHS.ownEmail))
  },
  'confirmation of the person with passkeys alone': async (browser) => {
    await signedIn(browser, 'user1')
    env.fakes.passkeys.set('user1', ['AAAA'])
    return browser.follow(await browser.get(PATHS.ownEmail))
  },
  'confirmation with a passkey, too late': async (browser) => {
    await signedIn(browser, 'user1')
    env.fakes.passkeys.set('user1', ['AAAA'])
    const page = await browser.follow(await browser.get(PATHS.ownEmail))
    return submitTo(browser, page, PATHS.confirmByPasskey, { response: NO_PASSKEY })
  },
  'confirmation with a passkey that no longer counts': async (browser) => {
    await signedIn(browser, 'user1')
    env.fakes.stopped.add('user1')
    return browser.follow(await browser.get(PATHS.ownEmail))
  },
}

const OTHER: Readonly<Record<string, Steps>> = {
  'first page': (browser) => browser.get('/'),
  'choice of a language': async (browser) =>
    browser.follow(await browser.get(`${PATHS.language}?lang=de&to=${encodeURIComponent('/ui/nowhere')}`)),
  'first page, signed in': async (browser) => (await signedIn(browser, 'user1')).get('/'),
  'sign-out': async (browser) => browser.follow(await browser.get(PATHS.endSession)),
  'sign-out for an application': async (browser) =>
    browser.follow(await browser.get(`${PATHS.endSession}?client_id=web`)),
  'sign-out for an application that does not name itself': async (browser) =>
    browser.follow(await browser.get(`${PATHS.endSession}?post_logout_redirect_uri=https://other.localhost`)),
  'sign-out, confirmed': async (browser) =>
    browser.follow(await browser.submit(await browser.follow(await browser.get(PATHS.endSession)))),
  'sign-out, refused': (browser) =>
    browser.get(`${PATHS.endSession}?client_id=web&post_logout_redirect_uri=https://other.localhost`),
  'sign-out, posted and refused': (browser) => browser.post(PATHS.endSession, { client_id: 'unknown' }),
  'response by a form': async (browser) =>
    authorize(await signedIn(browser, 'user1'), { response_mode: 'form_post' }),
  'request, rejected': (browser) => browser.get(`${PATHS.authorize}?client_id=unknown`),
  'request of an application in development, rejected': (browser) =>
    authorize(browser, {
      ...{ client_id: 'web-in-development', redirect_uri: 'https://rp.localhost/callback/' },
    }),
  'request without client, rejected': (browser) => browser.get(PATHS.authorize),
  'request without redirect URI, rejected': (browser) => browser.get(`${PATHS.authorize}?client_id=web`),
  'request with a repeated parameter, rejected': (browser) =>
    browser.get(`${PATHS.login}?request=${TOKEN}&request=${TOKEN}`),
  'request with a zero character, rejected': (browser) => browser.get(`${PATHS.login}?request=%00`),
  'posted request, rejected': (browser) => browser.post(PATHS.authorize, { client_id: 'unknown' }),
  'page of an answered request': async (browser) => {
    const page = await authorize(browser)
    await browser.follow(await browser.submit(page, { login_name: 'user1', password: PASSWORD }))
    const [, request = ''] = /name="request" value="([^"]*)"/.exec(page.body) ?? []
    return browser.get(`${PATHS.login}?request=${request}`)
  },
  'page of an expired request': (browser) => browser.get(`${PATHS.login}?request=${TOKEN}`),
  'form without its cookie': async (browser) => {
    const page = await authorize(browser)
    return env.newBrowser().submit(page, { login_name: 'user1' })
  },
  'form with an old token': async (browser) =>
    browser.submit(await authorize(browser), { csrf: 'old', login_name: 'user1' }),
  'form of another site': async (browser) => {
    const page = await authorize(browser)
    browser.sentFrom = { origin: 'https://evil.localhost' }
    return browser.submit(page)
  },
  'unknown path': (browser) => browser.get('/ui/nowhere'),
  'unavailable page': async (browser) => {
    await signedIn(browser, 'user1')
    return whileAway(() => browser.get(PATHS.factors))
  },
}

/** Removes what differs from run to run: ids, tokens, hashes, times. */
const normalized = ({ status, location, body }: PageView) =>
  `${status} ${location}\n${withoutRandomValues(body)}`
    .replaceAll(/[A-Za-z0-9_-]{22,}/g, (text) => (/[0-9A-Z]/.test(text) && /[a-z]/.test(text) ? '…' : text))
    .replaceAll(/code-\d+/g, 'code-…')

const IMPERSONATION_LINK = `${PATHS.impersonation}?token=${TOKEN}`

/** Opens the link by which user1 signs in as another person. */
async function openImpersonation(
  browser: TestBrowser,
  more: { readonly refused?: string } = {},
  userId = 'user2',
) {
  const endsAt = new Date(env.clock.now().getTime() + 3_600_000)
  env.fakes.impersonations.set(TOKEN, { administratorId: 'user1', userId, endsAt, ...more })
  return browser.get(IMPERSONATION_LINK)
}

async function acting(browser: TestBrowser): Promise<TestBrowser> {
  await browser.submit(await openImpersonation(await signedIn(browser, 'user1')))
  return browser
}

/** Chooses the person in a request. */
async function actAs(browser: TestBrowser, parameters = {}): Promise<PageView> {
  const page = await authorize(await acting(browser), parameters)
  const [, sid = ''] = /value="([^"]*)"[^>]*>(?:(?!<\/button>).)*You act as this person/.exec(page.body) ?? []
  return browser.follow(await submitTo(browser, page, PATHS.accounts, { sid }))
}

const LUNCH = { client_id: 'lunch-menu', redirect_uri: 'https://lunch.localhost/callback' }

const IMPERSONATION: Readonly<Record<string, Steps>> = {
  'link of an impersonation': async (browser) => openImpersonation(await signedIn(browser, 'user1')),
  'link of an impersonation, expired': (browser) => browser.get(IMPERSONATION_LINK),
  'link of an impersonation, of another person': (browser) => openImpersonation(browser),
  'link of an impersonation, refused': async (browser) =>
    browser.submit(
      await openImpersonation(await signedIn(browser, 'user1'), { refused: 'impersonation_off' }),
    ),
  'link of an impersonation, beside another': async (browser) => openImpersonation(await acting(browser)),
  'impersonation that goes on': async (browser) => (await acting(browser)).get(PATHS.impersonation),
  'account page beside an impersonation': async (browser) => (await acting(browser)).get(PATHS.account),
  'choice of an account beside an impersonation': async (browser) => authorize(await acting(browser)),
  'impersonation, without a consent': (browser) => actAs(browser, LUNCH),
  'impersonation, without a new authentication': (browser) => actAs(browser, { max_age: '0' }),
  'impersonation, ended': async (browser) =>
    browser.follow(await browser.submit(await (await acting(browser)).get(PATHS.impersonation))),
  'sessions of a person with an impersonation': async (browser) => {
    await acting(env.newBrowser())
    return (await signedIn(browser, 'user2')).get(PATHS.ownSessions)
  },
}

it.each(Object.entries({ ...SIGN_IN, ...RECOVERY, ...OWN, ...OTHER, ...UPSTREAM, ...IMPERSONATION }))(
  'keeps the HTML of the page "%s"',
  async (name, steps) => {
    const browser = new RecordingBrowser(env.port)
    const page = await steps(browser)
    shown.push(page.text, page.body)
    const parts = page.body.match(/<[a-z0-9]+|\b(?:id|class|role|aria-[a-z]+)="[^"]*"/g)
    if (parts !== null) pages.set(parts.join(' '), { name, body: page.body })
    expect(normalized(page)).toMatchSnapshot()
  },
)

it('has no axe-core violations on these pages', async () => {
  const chrome = await openChromium()
  const { page } = await openPage(chrome)
  const found: string[] = []
  const every = Math.ceil(pages.size / size('axePages'))
  const checked = [...pages.values()].filter((_, at) => at % every === 0)
  expect(checked.length).toBeGreaterThan(10)
  for (const { name, body } of checked) {
    const address = `http://localhost:${env.port}/ui/shown`
    // The scripts of a page do not run: one of them leaves it.
    const headers = { 'content-security-policy': "script-src 'none'" }
    await page.route(address, (route) => route.fulfill({ contentType: 'text/html', headers, body }))
    await page.goto(address)
    found.push(...(await accessibilityProblems(page)).map((problem) => `${name}: ${problem}`))
    await page.unroute(address)
  }
  await chrome.close()
  expect(found).toEqual([])
}, 120_000)

/** Answer without a page: files, and JSON for scripts. */
const WITHOUT_PAGE: readonly string[] = [
  PATHS.asset,
  PATHS.passkeyChallenge,
  PATHS.relatedOrigins,
  PATHS.upstreamLogoutReturn,
  PATHS.pushedAuthorization,
  PATHS.deviceAuthorization,
  PATHS.upstreamMetadata,
  PATHS.upstreamLogout,
  PATHS.upstreamSingleLogout,
  PATHS.upstreamStart,
  PATHS.upstreamEnd,
  '/ui/branding/:file',
  // They lead on, or answer as an unknown path does.
  ...CONSUMER_PREFIXES.map((prefix) => `${prefix}/*path`),
]

it('requests every page and every form that the service answers', () => {
  const served = env.routes
    .filter(({ path }) => !WITHOUT_PAGE.includes(path))
    .flatMap(({ path, methods }) => methods.map((method) => `${method} ${path}`))
  expect(served.filter((route) => !route.startsWith('HEAD') && !requested.has(route))).toEqual([])
})

/** The texts of a catalogue with their names, up to their first parameter. */
function textsOf(catalogue: object, prefix = ''): (readonly [name: string, text: string])[] {
  return Object.entries(catalogue).flatMap(([name, value]) =>
    typeof value === 'string' ? [[`${prefix}${name}`, value] as const] : textsOf(value, `${prefix}${name}.`),
  )
}

/** Texts of other tests: their state is laborious to reach, or the fakes do not have it. */
const SHOWN_ELSEWHERE = [
  ...['throttled.network.', 'reasons.rate_limited', 'reasons.storage_limited', 'failure.'],
  ...['passkey.forbidden', 'passkey.advice', 'passkeys.synced', 'passkeys.syncable', 'passkeys.cloned'],
  ...['passkeys.notAllowed', 'passkeys.refused', 'consent.reserved.unknownProject', 'consent.reserved.api'],
  ...[
    'impersonation.problems.stale',
    'impersonation.problems.unconfirmed',
    'impersonation.limits.impersonation_api',
  ],
  ...['device.unavailable', 'consent.unregistered', 'consent.loopback', 'consent.selfRegistered'],
]

it('shows every text of the pages', () => {
  const all = decodeEntities(shown.join('\n')).replaceAll(/<\/?bdi>/g, '')
  const missing = textsOf(en)
    .filter(([, text]) => text.split(/\{.*\}/).some((part) => !all.includes(part.trim())))
    .map(([name]) => name)
  expect(missing.filter((name) => !SHOWN_ELSEWHERE.some((one) => name.startsWith(one)))).toEqual([])
})
