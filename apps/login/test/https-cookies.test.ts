import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestEnvironment, type TestEnvironment, WEB_REQUEST } from './setup.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment({ issuer: 'https://id.localhost' })
})
afterAll(() => env.stop())

it('pages of an https issuer send Strict-Transport-Security and an empty Permissions-Policy', async () => {
  const page = await env.authorize(env.newBrowser())
  expect(page.headers['strict-transport-security']).toBe('max-age=31536000')
  expect(page.headers['permissions-policy']).toMatch(/camera=\(\), .*geolocation=\(\)/)
  // A pop-up window in which an application opens the sign-in must be able to send a message to its opener.
  expect(page.headers).not.toHaveProperty('cross-origin-opener-policy')
  const own = await env.newBrowser().get('/ui/email/verify')
  expect(own.headers['cross-origin-opener-policy']).toBe('same-origin')
})

it('cookies of an https issuer have the __Host- prefix and its attributes [F-36]', async () => {
  const browser = env.newBrowser()
  const attributes = '; Secure; HttpOnly; SameSite=Lax; Path=/'
  const first = await browser.get(`/oauth/v2/authorize?${new URLSearchParams(WEB_REQUEST)}`)
  expect(first.headers['set-cookie']).toEqual([
    expect.stringMatching(new RegExp(`^__Host-signet\\.browser=[\\w-]{43}${attributes}$`)),
    expect.stringMatching(
      new RegExp(`^__Host-signet\\.request\\.[\\w-]{16}=[\\w-]{43}${attributes}; Max-Age=1800$`),
    ),
  ])
  const page = await env.authorize(browser)
  const answer = await browser.submit(page, { login_name: 'user1', password: 'Correct-horse-9' })
  expect(answer.headers['set-cookie']).toEqual([
    expect.stringMatching(new RegExp(`^__Host-signet\\.request\\.[\\w-]{16}=${attributes}; Max-Age=0$`)),
    expect.stringMatching(new RegExp(`^__Host-signet\\.session=[\\w-]{43}${attributes}; Max-Age=604800$`)),
    expect.stringMatching(new RegExp(`^__Host-signet\\.device=[\\w.~-]+${attributes}; Max-Age=7776000$`)),
  ])
  expect(new URL((await browser.follow(answer)).location).searchParams.get('iss')).toBe(
    'https://id.localhost',
  )
})
