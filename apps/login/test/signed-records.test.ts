import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { signedRecords } from '../src/signed-record.ts'
import type { TestBrowser } from './browser.ts'
import { startTestEnvironment, type TestEnvironment, WEB_REQUEST } from './setup.ts'

const [older, newer] = [randomBytes(32), randomBytes(32)]

let env: TestEnvironment
beforeAll(async () => {
  env = await startTestEnvironment({ masterKeys: [newer, older] })
})
afterAll(() => env?.stop())

async function silently(browser: TestBrowser): Promise<string> {
  const { location } = await env.authorize(browser, { prompt: 'none' })
  return new URL(location).searchParams.get('error') ?? 'code'
}

/** Runs an action and returns the only key of this kind that it wrote, with its record. */
async function written(kind: string, work: () => Promise<unknown>) {
  const before = new Set(await env.redis.keys(`*:${kind}:*`))
  await work()
  const [key = ''] = (await env.redis.keys(`*:${kind}:*`)).filter((name) => !before.has(name))
  const text = (await env.redis.get(key)) ?? ''
  const [tag = '', json = ''] = [text.slice(0, 43), text.slice(44)]
  return { key, text, tag, json }
}

async function signedIn(loginName: string) {
  const browser = env.newBrowser()
  const record = await written('sessions', async () =>
    env.signIn(browser, await env.authorize(browser), loginName),
  )
  expect(await silently(browser)).toBe('code')
  return { browser, ...record }
}

it('a record from before a restore counts as absent', () => {
  const records = (generation: number) =>
    signedRecords({ masterKeys: [newer], purpose: 'test', generation, schema: z.string() })
  const [before, after] = [records(0).sign('key', 'x'), records(1_764_000_000).sign('key', 'y')]
  expect(records(0).verify('key', before)).toBe('x')
  expect(records(1_764_000_000).verify('key', before)).toBeUndefined()
  expect(records(1_764_000_000).verify('key', after)).toBe('y')
  expect(records(1_764_000_001).verify('key', after)).toBeUndefined()
})

describe('changed Redis records', () => {
  it.each([
    ['another user', (json: string, tag: string) => `${tag}.${json.replace('"user2"', '"user1"')}`],
    [
      'a second factor',
      (json: string, tag: string) => `${tag}.${json.replace('"pwd"', '"pwd","otp","mfa"')}`,
    ],
    ['no MAC', (json: string) => json],
    ['an empty MAC', (json: string) => `.${json}`],
    ['a MAC of another length', (json: string, tag: string) => `${tag.slice(1)}.${json}`],
    ['a MAC under another key', (json: string) => `${randomBytes(32).toString('base64url')}.${json}`],
    ['no text', () => ''],
    ['invalid JSON', () => '{'],
  ])('rejects a record of a browser with %s', async (_, forge) => {
    const { browser, key, json, tag } = await signedIn('user2')
    await env.redis.set(key, forge(json, tag))
    expect(await silently(browser)).toBe('login_required')
    await env.signIn(browser, await env.authorize(browser), 'user2')
    expect(await silently(browser)).toBe('code')
  })

  it('rejects the record of another browser', async () => {
    const [user1, user2] = [await signedIn('user1'), await signedIn('user2')]
    await env.redis.set(user2.key, user1.text)
    expect(await silently(user2.browser)).toBe('login_required')
    expect(await silently(user1.browser)).toBe('code')
  })

  it('rejects a changed pending authorization request', async () => {
    const browser = env.newBrowser()
    let location = ''
    const { key, json, tag } = await written('authorization', async () => {
      location = (await browser.get(`/oauth/v2/authorize?${new URLSearchParams(WEB_REQUEST)}`)).location
    })
    expect((await browser.get(location)).status).toBe(200)
    await env.redis.set(key, `${tag}.${json.replace('"openid"', '"openid email"')}`)
    expect((await browser.get(location)).status).toBe(400)
    const other = await written('authorization', () => env.authorize(browser))
    await env.redis.set(key, other.text)
    expect((await browser.get(location)).status).toBe(400)
  })

  it('rejects changed posted parameters', async () => {
    const browser = env.newBrowser()
    let location = ''
    const post = async () => {
      location = (await browser.post('/oauth/v2/authorize', WEB_REQUEST)).location
    }
    const { key, json, tag } = await written('posted', post)
    await env.redis.set(key, `${tag}.${json.replace('"openid"', '"openid email"')}`)
    expect((await browser.get(location)).status).toBe(400)
    await post()
    expect((await browser.follow(await browser.get(location))).text).toContain('Sign in')
  })
})

describe('with several master keys', () => {
  const schema = z.object({ name: z.string() })
  const under = (masterKeys: readonly Buffer[], purpose = 'test') =>
    signedRecords({ masterKeys, purpose, schema })
  const record = { name: 'user1' }

  it('signs with the newest key and accepts all of them', () => {
    expect(under([newer, older]).verify('k', under([older]).sign('k', record))).toEqual(record)
    expect(under([newer]).verify('k', under([newer, older]).sign('k', record))).toEqual(record)
    expect(under([newer]).verify('k', under([older]).sign('k', record))).toBeUndefined()
  })

  it('accepts a record for its own Redis key and purpose only', () => {
    const text = under([newer]).sign('one', record)
    expect(under([newer]).verify('one', text)).toEqual(record)
    expect(under([newer]).verify('other', text)).toBeUndefined()
    expect(under([newer], 'another').verify('one', text)).toBeUndefined()
    expect(under([newer]).verify('one', null)).toBeUndefined()
  })
})
