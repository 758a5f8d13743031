import { startSystem } from '@signet/testing/system/start-system'
import { REDIRECT_URI } from '@signet/testing/system/test-directory'
import type { TestSystem } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, expect, it } from 'vitest'

let system: TestSystem
beforeAll(async () => {
  system = await startSystem({ mode: 'in-process' })
}, 60_000)
afterAll(() => system?.stop())

const NEWCOMER = {
  user_name: 'newcomer',
  email: 'newcomer@example.org',
  given_name: 'New',
  family_name: 'Comer',
  password: 'Violet-harbour-27',
}

function openRegistration(browser: ReturnType<TestSystem['newBrowser']>) {
  const query = new URLSearchParams({
    client_id: 'web',
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: 'openid',
    prompt: 'create',
  })
  return browser.open(`/oauth/v2/authorize?${query}`)
}

it('prompt=create: makes an account that is signed in, and can sign in again [authorize.prompt.create]', async () => {
  const browser = system.newBrowser()
  const answer = await browser.submit(await openRegistration(browser), NEWCOMER)
  expect(answer.headers.get('location')).toMatch(/[?&]code=/)

  const again = await system.tryPassword('newcomer', NEWCOMER.password)
  expect(again.headers.get('location')).toMatch(/[?&]code=/)
})

it('shows the error at the field: a taken name, a common password [F-31] [F-32]', async () => {
  const browser = system.newBrowser()
  const form = await openRegistration(browser)
  const common = await browser.submit(form, { ...NEWCOMER, user_name: 'another', password: 'password123' })
  expect(common.status).toBe(400)
  expect(common.body).toContain('id="register-password-problem"')
  const taken = await browser.submit(form, { ...NEWCOMER, user_name: 'alice' })
  expect(taken.status).toBe(400)
  expect(taken.body).toContain('id="register-user-name-problem"')
})

it('ten complete tries of one address in an hour, then 429', async () => {
  const browser = system.newBrowser()
  const form = await openRegistration(browser)
  const statuses: number[] = []
  for (let count = 0; count < 12; count += 1) {
    statuses.push((await browser.submit(form, { ...NEWCOMER, user_name: 'alice' })).status)
  }
  expect(statuses.at(-1)).toBe(429)
  expect(statuses[0]).toBe(400)
})
