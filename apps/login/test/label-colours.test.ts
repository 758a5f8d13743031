import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  accessibilityProblems,
  authorizePath,
  contrastProblems,
  enterPassword,
  openPage,
  type RelyingParty,
  startChromiumTests,
} from './chromium.ts'
import { fakeOwnAccounts } from './fake-own-account.ts'
import { asOwner, type TestEnvironment } from './setup.ts'

const POLICIES = {
  acme: {
    primaryColor: '#0B6E4F',
    backgroundColor: '#FFFBE6',
    fontColor: '#222',
    warnColor: '#7a0000',
    primaryColorDark: '#ffff00',
    backgroundColorDark: '#001a12',
  },
  // Yellow: the text of buttons is black, and links have the colour of text.
  globex: {
    primaryColor: '#ffee00',
    fontColor: '#330066',
    fontColorDark: '#ffffff',
    warnColorDark: '#ffaaaa',
  },
  host: { primaryColor: '#5b21b6' },
} as const

/** A policy of an import: values that the management API refuses. */
const HOSTILE = {
  primaryColor: '#123456;}*{--x:1',
  backgroundColor: '"><script>alert(1)</script>',
  fontColor: '#eeeeee',
  warnColor: 'url(//evil.example/x)',
}

let env: TestEnvironment
let application: RelyingParty
let chrome: Browser
let stop: (() => Promise<void>) | undefined

const policyRow = (organization: string, policy: object) =>
  `INSERT INTO directory.organization_policy VALUES ('${organization}', 'label', '${JSON.stringify(policy)}')`

beforeAll(async () => {
  ;({ env, application, chrome, stop } = await startChromiumTests({ directoryServices: [fakeOwnAccounts] }))
  await asOwner(env.adminUrl, [
    `INSERT INTO directory.organization (organization_id, name, primary_domain)
     VALUES ('host', 'Host', 'host.localhost'), ('plain', 'Plain', 'plain.localhost'), ('moved', 'Moved', 'moved.localhost')`,
    `INSERT INTO directory.organization_domain
     VALUES ('host', 'host.localhost', true), ('plain', 'plain.localhost', true), ('moved', 'moved.localhost', true)`,
    `UPDATE directory.setting SET default_organization_id = 'host'`,
    ...Object.entries(POLICIES).map(([organization, policy]) => policyRow(organization, policy)),
    policyRow('moved', HOSTILE),
  ])
})
beforeEach(() => env.redis.flushdb())
afterAll(() => stop?.())

const at = (path: string) => `http://localhost:${env.port}${path}`
const scopeOf = (organization: string) => `openid urn:service:iam:org:id:${organization}`

/** The computed colours, as hexadecimal digits. */
function shown(page: Page, selectors: { readonly button?: string } = {}) {
  return page.evaluate(({ button = 'button' }) => {
    const hex = (colour: string) =>
      `#${(colour.match(/\d+/g) ?? []).map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`
    const styleOf = (selector: string) => {
      const element = document.querySelector(selector)
      return element && getComputedStyle(element)
    }
    return {
      button: hex(styleOf(button)?.backgroundColor ?? ''),
      buttonText: hex(styleOf(button)?.color ?? ''),
      background: hex(styleOf('main')?.backgroundColor ?? ''),
      text: hex(styleOf('h1')?.color ?? ''),
      link: hex(styleOf('a')?.color ?? ''),
    }
  }, selectors)
}

const SIGNET = {
  light: {
    button: '#1d4ed8',
    buttonText: '#ffffff',
    background: '#ffffff',
    text: '#17202e',
    link: '#1d4ed8',
  },
  dark: { button: '#8fb1ff', buttonText: '#0d1526', background: '#1a212d', text: '#eef1f7', link: '#8fb1ff' },
}
const EXPECTED = {
  acme: {
    light: {
      button: '#0b6e4f',
      buttonText: '#ffffff',
      background: '#fffbe6',
      text: '#222222',
      link: '#0b6e4f',
    },
    dark: {
      button: '#ffff00',
      buttonText: '#000000',
      background: '#001a12',
      text: '#eef1f7',
      link: '#ffff00',
    },
  },
  globex: {
    light: {
      button: '#ffee00',
      buttonText: '#000000',
      background: '#ffffff',
      text: '#330066',
      link: '#330066',
    },
    dark: { ...SIGNET.dark, text: '#ffffff' },
  },
  host: { light: { ...SIGNET.light, button: '#5b21b6', link: '#5b21b6' }, dark: SIGNET.dark },
  plain: SIGNET,
  moved: SIGNET,
}
const REQUESTS = [
  ['acme', scopeOf('acme')],
  ['globex', scopeOf('globex')],
  ['host', 'openid'],
  ['plain', scopeOf('plain')],
  ['moved', scopeOf('moved')],
] as const

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('%s', (_what, javaScriptEnabled) => {
  it.each(REQUESTS)(
    'shows the colours of the organization of the request, or else of the default one, light and dark: %s',
    async (organization, scope) => {
      const { page, complaints } = await openPage(chrome, { javaScriptEnabled })
      await page.goto(at(authorizePath(application, { scope })))
      expect(await shown(page, { button: '#login-submit' })).toEqual(EXPECTED[organization].light)
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await shown(page, { button: '#login-submit' })).toEqual(EXPECTED[organization].dark)
      expect(complaints).toEqual([])
      await page.context().close()
    },
  )
})

it.each(REQUESTS)(
  'the pages with colours have no axe-core violations, light or dark: %s',
  async (_name, scope) => {
    const { page } = await openPage(chrome)
    await page.goto(at(authorizePath(application, { scope })))
    await enterPassword(page, 'user1', 'wrong')
    await page.waitForSelector('#login-problem')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await accessibilityProblems(page)).toEqual([])
      await page.hover('#login-submit')
      expect(await contrastProblems(page)).toEqual([])
    }
    await page.context().close()
  },
)

it.each([
  ['user1', 'acme'],
  ['globex1', 'globex'],
] as const)('the account pages of %s show the colours of %s', async (loginName, organization) => {
  const { page, complaints } = await openPage(chrome)
  await page.goto(at(authorizePath(application)))
  await enterPassword(page, loginName)
  await page.waitForSelector('#app')
  await page.goto(at('/ui/account'))
  await page.waitForSelector('#account-login-name')
  const { background, text, link, button } = EXPECTED[organization].light
  const paths = ['', '/profile', '/email', '/password', '/sessions', '/data', '/factors'].map(
    (path) => `/ui/account${path}`,
  )
  for (const path of [...paths, '/ui/applications', '/ui/passkeys']) {
    await page.goto(at(path))
    const { button: buttonShown, ...rest } = await shown(page, { button: 'button:not(.second)' })
    expect(rest, path).toMatchObject({ background, text })
    expect(['#', button], path).toContain(buttonShown)
    if (path === '/ui/account') expect(rest.link).toBe(link)
    expect(await accessibilityProblems(page), path).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await contrastProblems(page), path).toEqual([])
    await page.emulateMedia({ colorScheme: 'light' })
  }
  expect(complaints).toEqual([])
  await page.context().close()
})

describe('the setting of a project', () => {
  const set = (setting: string) =>
    asOwner(env.adminUrl, [
      `UPDATE directory.project SET private_labeling_setting = 'PRIVATE_LABELING_SETTING_${setting}' WHERE project_id = 'portal'`,
    ])
  const buttonOf = async (page: Page, parameters: Readonly<Record<string, string>> = {}) => {
    await page.goto(at(authorizePath(application, parameters)))
    return (await shown(page, { button: '#login-submit' })).button
  }

  it.each([
    ['ENFORCE_PROJECT_RESOURCE_OWNER_POLICY', 'acme'],
    ['ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY', 'globex'],
    ['UNSPECIFIED', 'host'],
  ] as const)(
    '%s shows the colours of %s to a user of globex within a second',
    async (setting, organization) => {
      await set(setting)
      const { page } = await openPage(chrome)
      const before = setting === 'UNSPECIFIED' ? 'host' : 'acme'
      await expect.poll(() => buttonOf(page)).toBe(EXPECTED[before].light.button)
      expect(await buttonOf(page, { scope: scopeOf('globex') })).toBe(EXPECTED.globex.light.button)
      await buttonOf(page, { prompt: 'consent' })
      await enterPassword(page, 'globex1')
      await page.waitForSelector('#consent-allow')
      expect(await shown(page, { button: '#consent-allow' })).toMatchObject({
        button: EXPECTED[organization].light.button,
        text: EXPECTED[organization].light.text,
      })
      await page.context().close()
    },
  )

  it('shows the colours of the organization of a user whose password was accepted', async () => {
    await set('ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY')
    env.fakes.forced.add('globex')
    const { page } = await openPage(chrome)
    await expect.poll(() => buttonOf(page)).toBe(EXPECTED.acme.light.button)
    await enterPassword(page, 'globex1')
    await page.waitForSelector('#enrolment-code')
    expect((await shown(page, { button: '#enrolment-submit' })).button).toBe(EXPECTED.globex.light.button)
    env.fakes.forced.clear()
    await page.context().close()
  })
})

it('a change of a label policy is shown within a second', async () => {
  const linked = async () =>
    /branding1-[^.]+/.exec((await env.authorize(env.newBrowser(), { scope: scopeOf('plain') })).body)?.[0]
  expect(await linked()).toBeUndefined()
  await asOwner(env.adminUrl, [policyRow('plain', { primaryColor: '#123456' })])
  await expect.poll(linked).toBe('branding1-auto-123456-x-x-x-x-x-x-x-x')
  await asOwner(env.adminUrl, [`DELETE FROM directory.organization_policy WHERE organization_id = 'plain'`])
  await expect.poll(linked).toBeUndefined()
})

describe('the stylesheet of colours', () => {
  it('comes after the main stylesheet, is cached for good and holds colours only', async () => {
    const { page } = await openPage(chrome)
    const answer = await page.goto(at(authorizePath(application, { scope: scopeOf('acme') })))
    const links = await page
      .locator('link[rel=stylesheet]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href')))
    expect(links).toEqual([
      expect.stringMatching(/^\/ui\/assets\/signet-[0-9a-f]{16}\.css$/),
      '/ui/assets/branding1-auto-0b6e4f-7a0000-fffbe6-222222-ffff00-x-001a12-x-x.css',
    ])
    expect(answer?.headers()['content-security-policy']).toMatch(
      /style-src 'self'; img-src 'self' https: data:; base-uri 'none'; frame-ancestors 'none'$/,
    )
    const stylesheet = await fetch(at(links[1] ?? ''))
    expect([
      stylesheet.status,
      stylesheet.headers.get('content-type'),
      stylesheet.headers.get('cache-control'),
    ]).toEqual([200, 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'])
    expect(stylesheet.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await stylesheet.text()).toContain('--accent: #0b6e4f;')
    await page.context().close()
  })

  it('is not linked for values of an import that are no colours or hard to read', async () => {
    const { page } = await openPage(chrome)
    await page.goto(at(authorizePath(application, { scope: scopeOf('moved') })))
    const markup = await page.content()
    expect(markup).not.toMatch(/branding1|evil|123456|--x|<script>alert/)
    await page.context().close()
  })

  it.each([
    'branding1-auto-0b6e4f-x-x-x-x-x-x-x.css',
    'branding1-auto-0b6e4f-x-x-x-x-x-x-x-x-x.css',
    'branding1-auto-0B6E4F-x-x-x-x-x-x-x-x.css',
    'branding1-auto-0b6e4f;-x-x-x-x-x-x-x-x.css',
    'branding1-auto-red-x-x-x-x-x-x-x-x.css',
    'branding1-auto-0b6e4f-x-x-x-x-x-x-x-x.css%0A',
    'branding1-auto-%7D*%7B%7D-x-x-x-x-x-x-x-x.css',
    'branding1-blue-0b6e4f-x-x-x-x-x-x-x-x.css',
    'branding1-auto-0b6e4f-x-x-x-x-x-x-x-abc.css',
    'branding2-auto-0b6e4f-x-x-x-x-x-x-x-x.css',
  ])('does not exist under the path of anything but colours and a font: %s', async (file) => {
    const answer = await fetch(at(`/ui/assets/${file}`))
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store'])
  })
})
