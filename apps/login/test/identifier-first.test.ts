import { afterAll, beforeAll, expect, it } from 'vitest'
import { PASSWORD } from './fake-services.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment()
  await asOwner(env.adminUrl, [
    `INSERT INTO directory.organization_policy VALUES ('acme', 'login', '{"identifierFirst": true}')`,
  ])
})
afterAll(() => env.stop())

const inputs = (body: string) =>
  [...body.matchAll(/<input id="(login-name|password)"/g)].map(([, id]) => id ?? '')

it('asks for the login name first, then for the password', async () => {
  const browser = env.newBrowser()
  const first = await env.authorize(browser)
  expect(inputs(first.body)).toEqual(['login-name'])
  const second = await browser.follow(await browser.submit(first, { login_name: 'user1' }))
  expect([second.status, inputs(second.body)]).toEqual([200, ['login-name', 'password']])
  expect(second.body).toMatch(/value="user1"[^>]* readonly/)
  const wrong = await browser.submit(second, { login_name: 'user1', password: 'wrong' })
  expect([wrong.status, inputs(wrong.body)]).toEqual([400, ['login-name', 'password']])
  expect(wrong.body).toContain('id="login-problem"')
  const done = await browser.follow(await browser.submit(wrong, { login_name: 'user1', password: PASSWORD }))
  expect(new URL(done.location).searchParams.get('code')).not.toBeNull()
})

it('shows the same page for a name that no account has', async () => {
  const pageOf = async (loginName: string) => {
    const browser = env.newBrowser()
    const sent = await browser.submit(await env.authorize(browser), { login_name: loginName })
    const { status, body } = await browser.follow(sent)
    const random = /[A-Za-z0-9_-]{22,}/g
    return [status, body.replaceAll(random, '').replaceAll(loginName, '')]
  }
  expect(await pageOf('nobody')).toEqual(await pageOf('user1'))
})

it('goes on with the password where the request names the person, and lets another one sign in', async () => {
  const browser = env.newBrowser()
  const hinted = await env.authorize(browser, { login_hint: 'user1' })
  expect(inputs(hinted.body)).toEqual(['login-name', 'password'])
  const [, path = ''] = /id="login-other" href="([^"]+)"/.exec(hinted.body) ?? []
  const other = await browser.get(path.replaceAll('&amp;', '&'))
  expect(inputs(other.body)).toEqual(['login-name'])
  expect(other.body).not.toContain('user1')
})

it('asks for a name again when it is empty', async () => {
  const browser = env.newBrowser()
  const page = await browser.submit(await env.authorize(browser), { login_name: ' ' })
  expect([page.status, inputs(page.body)]).toEqual([400, ['login-name']])
})

it('asks for both at once in an organization without the policy', async () => {
  const scope = 'openid urn:service:iam:org:id:globex'
  const page = await env.authorize(env.newBrowser(), { scope })
  expect(inputs(page.body)).toEqual(['login-name', 'password'])
})
