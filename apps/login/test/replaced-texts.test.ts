import { PAGE_TEXTS } from '@signet/protocol/login-texts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fakeOwnAccounts } from './fake-own-account.ts'
import { PASSWORD } from './fake-services.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment({ directoryServices: [fakeOwnAccounts] })
  const texts = Object.keys(PAGE_TEXTS).map((name) => [name, `own ${name}`])
  await asOwner(env.adminUrl, [
    `INSERT INTO directory.login_text VALUES ('acme', 'en', '${JSON.stringify(Object.fromEntries(texts))}')`,
    `INSERT INTO directory.organization_policy VALUES ('acme', 'privacy', '{"tosLink": "https://acme.example/terms"}')`,
  ])
})
afterAll(() => env?.stop())

it('shows no text of an organization where a person confirms, consents, accepts roles or ends access', async () => {
  env.fakes.passkeys.set('user1', ['AAAA'])
  env.fakes.grants.set('user1 web', ['openid'])
  env.fakes.offers.set('user1', [
    {
      organizationId: 'partner',
      organizationName: 'P',
      projectId: '',
      projectName: '',
      roles: ['ORG_OWNER'],
    },
  ])
  const browser = env.newBrowser()
  const signIn = await env.authorize(browser, {
    scope: 'openid urn:service:iam:org:id:acme',
    prompt: 'login consent',
  })
  expect(signIn.body).toContain('\u2068own loginText.title\u2069')
  const roles = await browser.follow(
    await browser.submit(signIn, { login_name: 'user1', password: PASSWORD }),
  )
  const consent = await browser.follow(await browser.submit(roles, { decision: 'accept' }))
  await browser.follow(await browser.submit(consent, { decision: 'allow' }))
  const { sid = '' } = env.fakes.codeRequests.at(-1)?.session ?? {}
  const confirm = await browser.get(`/ui/passkeys/confirm?account=${sid}&for=factors`)
  const applications = await browser.get('/ui/applications')
  for (const [{ body }, mark] of [
    [roles, 'id="roles-accept"'],
    [consent, 'Allow access?'],
    [confirm, 'id="confirm-passkey"'],
    [applications, 'End access of'],
  ] as const) {
    expect(body).toContain(mark)
    expect(body.replace(/<footer>.*<\/footer>/s, ''), mark).not.toMatch(/\u2068|own \w+Text/)
  }
  for (const { body } of [roles, consent, confirm]) expect(body).toContain('\u2068own footerText.tos\u2069')
})

it('shows the own label of a code where a person types the code for a new e-mail address', async () => {
  const browser = env.newBrowser()
  await env.signIn(browser, await env.authorize(browser), 'user2')
  const page = await browser.submit(await browser.get('/ui/account/email'), { address: 'new@acme.localhost' })
  expect(page.body).toContain('<label for="code">\u2068own initPasswordText.codeLabel\u2069</label>')
})
