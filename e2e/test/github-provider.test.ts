// People sign in by GitHub: through login, federation and the directory, at a server that answers as GitHub documents it.
import { EMAILS, OCTOCAT, startFakeGithub } from '@signet/testing/fake-github'
import type { Page } from '@signet/testing/http-browser'
import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD, REDIRECT_URI } from '@signet/testing/system/test-directory'
import type { TestSystem } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'

let system: TestSystem
let github: Awaited<ReturnType<typeof startFakeGithub>>
beforeAll(async () => {
  github = await startFakeGithub()
  system = await startSystem({ mode: 'in-process' })
  const created = await system.manage('POST', '/identity-providers', {
    ...{ id: 'github', organizationId: 'acme', type: 'github', name: 'GitHub', issuer: github.url },
    ...{ clientId: github.client.id, clientSecret: github.client.secret },
    ...{ linkingAllowed: true, creationAllowed: true, trustedEmailDomains: ['octo.example'] },
  })
  expect([created.status, created.json]).toEqual([201, expect.objectContaining({ usable: true })])
}, 120_000)
afterAll(async () => {
  await system?.stop()
  await github?.stop()
})
beforeEach(() => github.reset())

const person = (id: number, login: string) => {
  github.answers.user = { ...OCTOCAT, id, login, name: login }
  const address = { ...EMAILS[0], email: `${login}@octo.example` }
  github.answers.emails = [address, ...EMAILS.slice(1)]
}

const authorizePath = `/oauth/v2/authorize?${new URLSearchParams({ client_id: 'web', redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'openid' })}`
const locationOf = ({ headers }: Page) => headers.get('location') ?? ''
const isAnswered = (page: Page) =>
  locationOf(page).startsWith(`${REDIRECT_URI}?`) && locationOf(page).includes('code=')

/** Presses the button of GitHub in a browser, agrees there and comes back. */
async function signIn(browser = system.newBrowser()): Promise<Page> {
  const away = await browser.press(await browser.open(authorizePath), 'provider-1')
  const callback = github.agree(locationOf(away))
  expect(callback.origin + callback.pathname).toBe(`${system.issuer}/ui/identity-providers/github/callback`)
  return browser.open(callback.href)
}

async function linksOf(userId: string) {
  const { json } = await system.manage('GET', `/users/${userId}/identity-links`)
  return json.items as readonly Readonly<Record<string, unknown>>[]
}

async function findUser(userName: string) {
  const { json } = await system.manage('GET', '/users?organizationId=acme&limit=100')
  const items = json.items as readonly Readonly<Record<string, unknown>>[]
  return items.find((user) => user.userName === userName)
}

it('makes an account of login, name and verified address, and finds it by the number after a rename', async () => {
  person(583_231, 'octocat')
  const browser = system.newBrowser()
  const answer = await browser.press(await signIn(browser), 'unlinked-create')
  expect(isAnswered(answer)).toBe(true)
  const made = await findUser('octocat')
  expect(made).toMatchObject({ email: { address: 'octocat@octo.example', verified: true } })
  const links = await linksOf(`${made?.id}`)
  expect(links).toMatchObject([
    { subject: '583231', issuer: github.url, displayName: 'octocat@octo.example' },
  ])

  person(583_231, 'renamed')
  expect(isAnswered(await signIn())).toBe(true)
  expect(await linksOf(`${made?.id}`)).toHaveLength(1)
  expect(await findUser('renamed')).toBeUndefined()
})

it('knows another account that took over login and address as another person', async () => {
  person(99, 'octocat')
  expect((await signIn()).body).toContain('unlinked-create')
})

it('links an account after its own sign-in, and signs it in afterwards', async () => {
  person(42, 'dora-of-github')
  const browser = system.newBrowser()
  const question = await signIn(browser)
  const [, login = ''] = /id="unlinked-link" href="([^"]*)"/.exec(question.body) ?? []
  const asks = await browser.submit(await browser.open(login), { login_name: 'dora', password: PASSWORD })
  expect(asks.body).toContain('link-accept')
  expect(await linksOf('dora')).toEqual([])
  const answer = await browser.press(asks, 'link-accept')
  expect(isAnswered(await browser.open(locationOf(answer)))).toBe(true)
  expect(await linksOf('dora')).toMatchObject([{ subject: '42', issuer: github.url }])
  expect(isAnswered(await signIn())).toBe(true)
})

it('verifies no address that GitHub did not, and none of another domain', async () => {
  for (const [id, email, verified] of [
    [7, 'seven@octo.example', false],
    [8, 'eight@elsewhere.example', true],
  ] as const) {
    person(id, `person${id}`)
    github.answers.emails = [{ email, primary: true, verified, visibility: null }]
    const browser = system.newBrowser()
    expect(isAnswered(await browser.press(await signIn(browser), 'unlinked-create'))).toBe(true)
    const { email: stored } = (await findUser(`person${id}`)) as { email?: { verified: boolean } }
    expect(stored?.verified ?? false).toBe(false)
  }
})

it('takes a code once, in its own browser, and shows a page where GitHub refuses or sends rubbish', async () => {
  person(42, 'dora-of-github')
  const browser = system.newBrowser()
  const away = await browser.press(await browser.open(authorizePath), 'provider-1')
  const callback = github.agree(locationOf(away)).href
  const other = system.newBrowser()
  await other.open(authorizePath)
  expect((await other.send(callback)).status).toBe(400)
  const answers = await Promise.all([browser.send(callback), browser.send(callback)])
  expect(answers.filter(isAnswered)).toHaveLength(1)

  for (const change of [
    { token: { error: 'bad_verification_code' } },
    { user: { ...OCTOCAT, id: '42' } },
    { user: '<html>' },
    { status: { '/api/v3/user': 403 } },
    { status: { '/api/v3/user/emails': 500 } },
  ]) {
    person(42, 'dora-of-github')
    Object.assign(github.answers, change)
    const page = await signIn()
    expect([isAnswered(page), page.body.includes('gho_')]).toEqual([false, false])
    github.reset()
  }
  expect(await linksOf('dora')).toHaveLength(1)
})
