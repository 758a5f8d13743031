import { afterAll, beforeAll, expect, it } from 'vitest'
import { type LoginWorld, startLoginWorld, WEB_REQUEST } from './fixtures/login-world.ts'

let world: LoginWorld

beforeAll(async () => {
  world = await startLoginWorld({ issuer: 'https://id.localhost' })
})
afterAll(() => world.stop())

it('pages of an https issuer want https from now on, and no feature of the browser', async () => {
  const page = await world.authorize(world.newBrowser())
  expect(page.headers['strict-transport-security']).toBe('max-age=31536000')
  expect(page.headers['permissions-policy']).toMatch(/camera=\(\), .*geolocation=\(\)/)
  // A pop-up window in which an application lets people sign in has to be able to answer its opener.
  expect(page.headers).not.toHaveProperty('cross-origin-opener-policy')
  const own = await world.newBrowser().get('/ui/applications')
  expect(own.headers['cross-origin-opener-policy']).toBe('same-origin')
})

it('F-36: cookies of an https issuer have the __Host- prefix and what it demands', async () => {
  const browser = world.newBrowser()
  const attributes = '; Secure; HttpOnly; SameSite=Lax; Path=/'
  const first = await browser.get(`/oauth/v2/authorize?${new URLSearchParams(WEB_REQUEST)}`)
  expect(first.headers['set-cookie']).toEqual([
    expect.stringMatching(new RegExp(`^__Host-signet\\.browser=[\\w-]{43}${attributes}$`)),
    expect.stringMatching(
      new RegExp(`^__Host-signet\\.request\\.[\\w-]{16}=[\\w-]{43}${attributes}; Max-Age=1800$`),
    ),
  ])
  const page = await world.authorize(browser)
  const answer = await browser.submit(page, { login_name: 'alice', password: 'Correct-horse-9' })
  expect(answer.headers['set-cookie']).toEqual([
    expect.stringMatching(new RegExp(`^__Host-signet\\.session=[\\w-]{43}${attributes}$`)),
    expect.stringMatching(new RegExp(`^__Host-signet\\.device=[\\w.~-]+${attributes}; Max-Age=7776000$`)),
  ])
  expect(new URL((await browser.follow(answer)).location).searchParams.get('iss')).toBe(
    'https://id.localhost',
  )
})
