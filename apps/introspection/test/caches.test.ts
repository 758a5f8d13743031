import type { Account, Client } from '@signet/directory-reader/views'
import { createFakeClock } from '@signet/testing/fake-clock'
import type { AccessToken } from '@signet/tokens/access-token'
import { describe, expect, it } from 'vitest'
import { createAccessTokens, type KnownToken } from '../src/access-tokens.ts'
import { type CachedResponse, createResponseCache, responseCacheLimit } from '../src/response-cache.ts'

const START_SECONDS = createFakeClock().now().getTime() / 1_000

const token = (id: string): AccessToken => ({
  id,
  subject: 'alice',
  clientId: 'web',
  audience: ['web'],
  scope: 'openid',
  issuedAt: 0,
  expiresAt: START_SECONDS + (id === 'short' ? 50 : 3_600),
  organizations: [],
})

function createTestEnvironment() {
  const clock = createFakeClock()
  const read: string[] = []
  const ended = new Set<string>()
  const accessTokens = createAccessTokens({
    async read(value) {
      read.push(value)
      return value === 'forged' ? undefined : { token: token(value), kid: 'k1' }
    },
    revocations: {
      checkOf:
        ({ tokenId = '' }) =>
        async () =>
          ended.has(tokenId),
    },
    now: clock.now,
    elapsed: () => clock.now().getTime(),
  })
  async function use(value: string) {
    const known = await accessTokens.find(value)
    if (known !== undefined) accessTokens.cache(value, known)
    return known
  }
  return { clock, read, ended, use }
}

describe('the caches of introspection', () => {
  it('decrypts a repeated token once a minute, for any number of callers', async () => {
    const { clock, read, use } = createTestEnvironment()
    const first = await use('one')
    clock.advance(59_999)
    expect(await use('one')).toBe(first)
    expect(read).toEqual(['one'])
    clock.advance(1)
    const again = await use('one')
    expect(again).not.toBe(first)
    expect(await use('one')).toBe(again)
    expect(read).toEqual(['one', 'one'])
  })

  it('checks for each use of a cached token whether it was revoked or has expired', async () => {
    const { clock, read, ended, use } = createTestEnvironment()
    for (const value of ['one', 'short']) expect(await use(value)).toBeDefined()
    ended.add('one')
    expect(await use('one')).toBeUndefined()
    ended.clear()
    expect(await use('one')).toBeDefined()
    clock.advance(50_000)
    expect(await use('short')).toBeUndefined()
    expect(read).toEqual(['one', 'short'])
  })

  it('caches no foreign token, and at most the 10,000 tokens that were used last [F-48]', async () => {
    const { read, use } = createTestEnvironment()
    for (let call = 0; call < 3; call += 1) expect(await use('forged')).toBeUndefined()
    expect(read).toHaveLength(3)
    const first = await use('first')
    await use('second')
    for (let index = 0; index < 9_998; index += 1) await use(`${index}`)
    expect(await use('first')).toBe(first)
    await use('one more')
    read.length = 0
    for (const value of ['first', 'one more', '0']) await use(value)
    expect(read).toEqual([])
    await use('second')
    expect(read).toEqual(['second'])
  })

  it('a cached response is for its token and its caller only', () => {
    const responses = new Map<string, CachedResponse>()
    const cache = createResponseCache({
      get: (key) => responses.get(key),
      set: (key, response) => void responses.set(key, response),
    })
    const caller = (clientId: string, projectId: string | null = null) => ({ clientId, projectId }) as Client
    const known: KnownToken = { token: token('one'), hasEnded: async () => false, readAt: 0 }
    cache.set('{"active":true}', { value: 'one', known, account: {} as Account }, caller('web'))
    expect(cache.get('one', caller('web'))).toMatchObject({ text: '{"active":true}' })
    expect(cache.get('two', caller('web'))).toBeUndefined()
    expect(cache.get('one', caller('api'))).toBeUndefined()
    expect(cache.get('bone', caller('we'))).toBeUndefined()
    expect(cache.get('one', caller('web', 'project'))).toBeUndefined()
  })

  it('responses take a quarter of the heap at most, by their length', () => {
    const { maxSize, sizeOf } = responseCacheLimit(256 * 2 ** 20)
    expect(maxSize).toBe(64 * 2 ** 20)
    expect(responseCacheLimit(64 * 2 ** 30).maxSize).toBeLessThan(200_000_000)
    const response = { expiresAt: 0, hasEnded: async () => false, projectId: null }
    expect(sizeOf({ ...response, text: 'x'.repeat(500_000) })).toBeGreaterThan(500_000)
  })
})
