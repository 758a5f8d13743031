import { RecoveryService } from '@signet/grpc/gen/directory/v1/recovery_service_pb'
import { rpcService } from '@signet/grpc/service'
import { PAGE_TEXTS } from '@signet/protocol/login-texts'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  accessibilityProblems,
  authorizePath,
  enterPassword,
  openPage,
  type RelyingParty,
  startChromiumTests,
  widthOf,
} from './chromium.ts'
import { fakeOwnAccounts } from './fake-own-account.ts'
import { PASSWORD } from './fake-services.ts'
import { asOwner, type TestEnvironment } from './setup.ts'

const mail = rpcService(RecoveryService, {
  requestPasswordReset: async () => ({}),
  checkMailToken: async () => ({ organizationId: 'acme' }),
  setPassword: async () => ({}),
  verifyEmail: async () => ({}),
  notifyNewSignIn: async () => ({}),
})

let env: TestEnvironment
let application: RelyingParty
let chrome: Browser
let stop: (() => Promise<void>) | undefined

/** Stores texts as the directory does; `moved` has some that only an older version would have stored. */
async function store(organization: string, language: string, texts: object): Promise<void> {
  const document = JSON.stringify(texts).replaceAll("'", "''")
  await asOwner(env.adminUrl, [
    `INSERT INTO directory.login_text VALUES ('${organization}', '${language}', '${document}')
         ON CONFLICT (organization_id, language) DO UPDATE SET texts = excluded.texts`,
  ])
}
const policy = (organization: string, kind: string, document: object) =>
  `INSERT INTO directory.organization_policy VALUES ('${organization}', '${kind}', '${JSON.stringify(document)}')`
/** Every text that acts, each another one. */
const everyText = (organization: string) =>
  Object.fromEntries(Object.keys(PAGE_TEXTS).map((name) => [name, `${organization} ${name}`]))

const MARKUP = `<b onmouseover="alert(1)">{application}</b> <script>alert(1)</script> {count, plural, one {#}} &amp; {{.X}}`
const LONG = `${'Lorem ipsum dolor sit amet consectetur '.repeat(6)}${'W'.repeat(300)}`.slice(0, 500)

beforeAll(async () => {
  ;({ env, application, chrome, stop } = await startChromiumTests({
    directoryServices: [fakeOwnAccounts, mail],
  }))
  await asOwner(env.adminUrl, [
    `INSERT INTO directory.organization (organization_id, name, primary_domain)
     VALUES ('plain', 'Plain', 'plain.localhost'), ('moved', 'Moved', 'moved.localhost')`,
    `INSERT INTO directory.organization_domain
     VALUES ('plain', 'plain.localhost', true), ('moved', 'moved.localhost', true)`,
    `UPDATE directory.setting SET sends_mail = true, default_organization_id = 'acme'`,
    policy('globex', 'login', { identifierFirst: true, allowRegister: true }),
    policy('acme', 'privacy', {
      ...{ tosLink: 'https://acme.example/terms', privacyLink: 'https://acme.example/privacy' },
      ...{ helpLink: 'https://acme.example/help', supportEmail: 'help@acme.example' },
    }),
    policy('acme', 'password_complexity', {
      ...{ hasUppercase: true, hasLowercase: true, hasNumber: true, hasSymbol: true },
    }),
  ])
  await store('acme', 'en', everyText('acme'))
  await store('globex', 'en', everyText('globex'))
  await store('globex', 'de', { 'loginText.title': 'Willkommen bei Globex' })
  await store('moved', 'en', {
    'loginText.title': MARKUP,
    'loginText.description': LONG,
    'passwordText.nextButtonText': 'W'.repeat(200),
    'passwordText.passwordLabel': '\u202eover',
    'rejected.title': 'Fine',
    'consent.title': 'Fine',
  })
})
beforeEach(() => env.redis.flushdb())
afterAll(() => stop?.())

const at = (path: string) => `http://localhost:${env.port}${path}`
const of = (organization: string) => ({ scope: `openid urn:service:iam:org:id:${organization}` })
const isolated = (text: string) => `\u2068${text}\u2069`

async function authorize(page: Page, parameters: Readonly<Record<string, string>> = {}): Promise<void> {
  await page.goto(at(authorizePath(application, parameters)))
}

async function open(options: BrowserContextOptions = {}): Promise<Page> {
  const { page } = await openPage(chrome, { javaScriptEnabled: false, ...options })
  return page
}

describe('without JavaScript', () => {
  it('shows the texts of the organization of the request, or else of the default one', async () => {
    const page = await open()
    for (const [parameters, organization] of [
      [of('acme'), 'acme'],
      [of('globex'), 'globex'],
      [{}, 'acme'],
    ] as const) {
      await authorize(page, parameters)
      expect(await page.textContent('h1')).toBe(isolated(`${organization} loginText.title`))
      expect(await page.title()).toContain(`${organization} loginText.title`)
      expect(await page.textContent('#description')).toBe(isolated(`${organization} loginText.description`))
      expect(await page.textContent('.intro'), 'names the application').toContain('Portal app')
    }
    await page.context().close()
  })

  it('shows no text of one organization on a page of another', async () => {
    const page = await open()
    for (const organization of ['plain', 'globex', 'acme', 'moved']) {
      await authorize(page, of(organization))
      const others = ['acme', 'globex'].filter((other) => other !== organization)
      for (const other of others) expect(await page.content()).not.toMatch(new RegExp(`${other} \\w+Text`))
    }
    await authorize(page, of('plain'))
    expect([await page.textContent('h1'), await page.locator('#description').count()]).toEqual(['Sign in', 0])
    await page.context().close()
  })

  it('shows texts on pages in their language only', async () => {
    const [german, french] = [await open({ locale: 'de-DE' }), await open({ locale: 'fr-FR' })]
    await authorize(german, of('globex'))
    expect(await german.textContent('h1')).toBe(isolated('Willkommen bei Globex'))
    expect(await german.textContent('#login-submit')).toBe('Weiter')
    await authorize(french, of('globex'))
    expect(await french.textContent('h1')).toBe('Connexion')
    await authorize(german, { ...of('globex'), ui_locales: 'en' })
    expect(await german.textContent('h1')).toBe(isolated('globex loginText.title'))
    await german.context().close()
    await french.context().close()
  })

  it('shows markup and ICU messages as text', async () => {
    const page = await open()
    await authorize(page, of('moved'))
    expect(await page.textContent('h1')).toBe(isolated(MARKUP))
    expect(await page.locator('h1 *, main b').count()).toBe(0)
    expect(await page.textContent('label[for=password]'), 'refused by the present rules').toBe('Password')
    await page.context().close()
  })

  it('the pages with the longest texts fit 320 pixels, also without spaces', async () => {
    const page = await open({ viewport: { width: 320, height: 640 } })
    await authorize(page, of('moved'))
    expect((await page.textContent('#description'))?.length).toBe(502)
    expect((await page.textContent('#login-submit'))?.length).toBe(202)
    expect(await widthOf(page)).toBe(320)
    await page.context().close()
  })

  it('signs in with the texts of an organization', async () => {
    const page = await open()
    await authorize(page, of('globex'))
    await page.fill('#login-name', 'globex1')
    await page.click('#login-submit')
    expect(await page.textContent('h1')).toBe(isolated('globex passwordText.title'))
    expect(await page.textContent('.intro')).toContain('Portal app')
    expect(await page.inputValue('#login-name'), 'shows the account').toBe('globex1')
    await page.fill('#password', PASSWORD)
    await page.click('#login-submit')
    await page.waitForSelector('#app')
    await page.context().close()
  })

  it('the consent page, errors and sign-out keep the texts of Signet', async () => {
    const page = await open()
    await authorize(page, { ...of('acme'), prompt: 'consent' })
    await enterPassword(page, 'user1')
    expect(await page.textContent('h1')).toBe('Allow access?')
    const shown = await page.locator('main > :not(footer)').allTextContents()
    expect(shown.join(' '), 'the links of the organization aside').not.toContain('\u2068')
    const paths = [
      '/oauth/v2/authorize?client_id=unknown',
      '/oidc/v1/end_session',
      '/ui/logout/done',
      '/ui/x',
    ]
    for (const path of paths) {
      await page.goto(at(path))
      expect(await page.content(), path).not.toMatch(/acme \w+Text|\u2068/)
    }
    expect(await (await page.goto(at('/oauth/v2/authorize?client_id=unknown')))?.text()).toContain(
      'This application’s sign-in request has a mistake',
    )
    await page.context().close()
  })
})

it('the sign-in page with own texts has no axe-core violations', async () => {
  const { page, complaints } = await openPage(chrome)
  for (const organization of ['globex', 'moved']) {
    await authorize(page, of(organization))
    expect(await accessibilityProblems(page)).toEqual([])
  }
  expect(complaints).toEqual([])
  await page.context().close()
})

/** The steps to pages of acme, and of globex, which asks for the login name first. */
const STEPS: readonly ((page: Page, seen: () => Promise<void>) => Promise<void>)[] = [
  async (page, seen) => {
    await authorize(page, of('globex'))
    await seen()
    await page.fill('#login-name', 'globex1')
    await page.click('#login-submit')
  },
  async (page) => authorize(page, { ...of('acme'), prompt: 'create' }),
  async (page, seen) => {
    await authorize(page, of('acme'))
    await seen()
    await page.click('#login-forgot')
    await page.fill('#login-name', 'user1')
    await page.click('#forgot-submit')
  },
  async (page) => {
    await authorize(page, of('acme'))
    await enterPassword(page, 'totpuser')
    await page.waitForSelector('#totp-code')
  },
  async (page) => {
    env.fakes.forced.add('acme')
    env.fakes.passkeys.set('user2', ['AAAA'])
    await authorize(page, of('acme'))
    await enterPassword(page, 'user2')
    await page.waitForSelector('#totp-passkey')
  },
  async (page) => {
    env.fakes.forced.add('acme')
    await authorize(page, of('acme'))
    await enterPassword(page, 'user1')
    await page.waitForSelector('#enrolment-code')
  },
  async (page) => {
    env.fakes.passwordChanges.add('user1')
    await authorize(page, of('acme'))
    await enterPassword(page, 'user1')
    await page.waitForSelector('#new-password')
  },
  async (page) => {
    env.fakes.passkeyOffers.add('user1')
    await authorize(page, of('acme'))
    await page.evaluate(() => document.getElementById('passkey-capable')?.setAttribute('value', 'yes'))
    await enterPassword(page, 'user1')
    await page.waitForSelector('#offer-skip')
  },
  async (page, seen) => {
    await authorize(page, of('acme'))
    await enterPassword(page, 'user1')
    await page.waitForSelector('#app')
    await page.goto(at('/ui/account/password'))
    await page.waitForSelector('#current-password')
    await seen()
    await authorize(page, { ...of('acme'), prompt: 'select_account' })
    await page.waitForSelector('#account-1')
  },
]

it('each text that acts is on a page', async () => {
  const found = new Set<string>()
  for (const reach of STEPS) {
    for (const known of ['forced', 'passwordChanges', 'passkeys', 'passkeyOffers'] as const)
      env.fakes[known].clear()
    const { page } = await openPage(chrome)
    const seen = async () => {
      for (const [, name = ''] of (await page.content()).matchAll(/\u2068(?:acme|globex) ([\w.]+)\u2069/g))
        found.add(name)
    }
    await reach(page, seen)
    await seen()
    await page.context().close()
  }
  expect([...found].sort()).toEqual(Object.keys(PAGE_TEXTS).sort())
})

it('a change of texts is shown within a second', async () => {
  const shown = async () => (await env.authorize(env.newBrowser(), of('plain'))).body
  expect(await shown()).toContain('<h1>Sign in</h1>')
  await store('plain', 'en', { 'loginText.title': 'Changed' })
  await expect.poll(shown).toContain('<h1>\u2068Changed\u2069</h1>')
  await asOwner(env.adminUrl, [`DELETE FROM directory.login_text WHERE organization_id = 'plain'`])
  await expect.poll(shown).toContain('<h1>Sign in</h1>')
})
