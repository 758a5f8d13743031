import { calculateJwkThumbprint, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningKeys, runKeys } from './fixtures/running-keys.ts'

const DAY = 86_400_000

let keys: RunningKeys
beforeAll(async () => {
  keys = await runKeys()
})
afterAll(() => keys.stop())

const get = (headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${keys.url}/oauth/v2/keys`, { method, headers })
const keySet = async () => (await (await get()).json()) as JSONWebKeySet

describe('/oauth/v2/keys', () => {
  it('RFC 7517 section 5: an active and two announced keys of every algorithm, named by their thumbprints', async () => {
    const response = await get()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    const set = (await response.json()) as JSONWebKeySet
    expect(set.keys.map(({ alg }) => alg)).toEqual([
      ...['RS256', 'ES256', 'EdDSA'],
      ...['RS256', 'RS256', 'ES256', 'ES256', 'EdDSA', 'EdDSA'],
    ])
    for (const jwk of set.keys) {
      expect(jwk.use).toBe('sig')
      expect(jwk.kid).toBe(await calculateJwkThumbprint(jwk))
    }
    expect(() => createLocalJWKSet(set)).not.toThrow()
  })

  it('public members only [F-27] [keys.public]', async () => {
    const members = new Set((await keySet()).keys.flatMap((jwk) => Object.keys(jwk)))
    expect([...members].sort()).toEqual(['alg', 'crv', 'e', 'kid', 'kty', 'n', 'use', 'x', 'y'])
  })

  it('may be cached for 300 s by any cache and read from any origin [keys.cached]', async () => {
    const { headers } = await get({ origin: 'https://app.example' })
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    const preflight = await get(
      { origin: 'https://app.example', 'access-control-request-method': 'GET' },
      'OPTIONS',
    )
    expect(preflight.status).toBe(204)
  })

  it('sends a strong entity tag, and 304 when it matches (RFC 9110 section 13.1.2)', async () => {
    const etag = (await get()).headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    for (const known of [etag, `"other", W/${etag}`, '*']) {
      const response = await get({ 'if-none-match': known })
      expect(response.status).toBe(304)
      expect(response.headers.get('etag')).toBe(etag)
      expect(response.headers.get('cache-control')).toBe('public, max-age=300')
      expect(await response.text()).toBe('')
    }
    expect((await get({ 'if-none-match': '"other"' })).status).toBe(200)
  })

  it('supports HEAD, and returns 405 for other methods', async () => {
    const head = await get({}, 'HEAD')
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(1_000)
    expect((await get({}, 'POST')).status).toBe(405)
  })

  it('oidcc-server-rotate-keys: after a rotation lists the old, the present and the next keys under a new entity tag [keys.rotation]', async () => {
    const before = {
      etag: (await get()).headers.get('etag'),
      kids: (await keySet()).keys.map(({ kid }) => kid),
    }
    keys.clock.advance(30 * DAY)
    await expect.poll(async () => (await keySet()).keys.length).toBe(12)
    const after = await keySet()
    expect(after.keys.map(({ kid }) => kid)).toEqual(expect.arrayContaining(before.kids))
    expect(before.kids.slice(3, 5)).toContain(after.keys[0]?.kid)
    expect((await get()).headers.get('etag')).not.toBe(before.etag)
    keys.clock.advance(2 * DAY)
    await expect.poll(async () => (await keySet()).keys.length).toBe(9)
    expect((await keySet()).keys.map(({ kid }) => kid)).not.toContain(before.kids[0])
  })

  it('is served while PostgreSQL is away, and the service stays ready', async () => {
    const before = await keySet()
    await keys.database.server.drop()
    keys.clock.advance(10 * DAY)
    expect(await keySet()).toEqual(before)
    expect(await keys.service.notReady()).toEqual([])
  })
})
