import { randomBytes } from 'node:crypto'
import { KEY_CALLS } from '@signet/admin-api/keys-api'
import { createPool } from '@signet/platform/postgres/pool'
import { createFakeClock } from '@signet/testing/fake-clock'
import type { JSONWebKeySet } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createKeysDatabase, type KeysDatabase } from './fixtures/keys-database.ts'
import { type RunningKeys, runKeys } from './fixtures/running-keys.ts'

const MINUTE = 60_000
const DAY = 86_400_000

interface ShownKey {
  readonly kid: string
  readonly ring: string
  readonly algorithm: string
  readonly state: string
  readonly activeAt: string
  readonly retireAt: string
  readonly revokedAt?: string
  readonly next: { readonly state: string; readonly at: string }
}

const clock = createFakeClock()
const masterKey = randomBytes(32)
let database: KeysDatabase
let keys: RunningKeys
let other: RunningKeys

async function start(): Promise<void> {
  database = await createKeysDatabase()
  const replica = () => runKeys({ clock, masterKeys: [masterKey], shared: database })
  keys = await replica()
  other = await replica()
}
async function stop(): Promise<void> {
  await Promise.all([keys.stop(), other.stop()])
  await database.drop()
}

async function call(
  method: string,
  path = '',
  { bearer = 'owner', body }: { bearer?: string; body?: object } = {},
) {
  const response = await fetch(`${keys.url}/management/v1/keys${path}`, {
    method,
    headers: {
      ...(bearer !== '' && { authorization: `Bearer ${bearer}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}
const rotate = (body: object) => call('POST', '/rotate', { body })
const revoke = (kid: string) => call('POST', `/${kid}/revoke`)
const list = async () => (await call('GET')).json.keys as ShownKey[]
const line = async (algorithm: string, ring = 'signing') =>
  (await list()).filter((key) => key.algorithm === algorithm && key.ring === ring)
const active = async (algorithm: string, ring?: string) =>
  (await line(algorithm, ring)).find(({ state }) => state === 'active')?.kid ?? ''
const keySetOf = async ({ url }: RunningKeys) =>
  ((await (await fetch(`${url}/oauth/v2/keys`)).json()) as JSONWebKeySet).keys.map(({ kid }) => kid)

async function events() {
  const { rows } = await database.connect().query<{
    action: string
    actor_id: string | null
    actor_kind: string
    target_id: string
    result: string
    details: Record<string, unknown>
  }>({ name: 'test.events', text: 'SELECT * FROM keys_read.audit_event_v1 ORDER BY at' })
  return rows
}

describe('two replicas', () => {
  beforeAll(start)
  afterAll(stop)

  describe('GET /management/v1/keys', () => {
    it('lists every key with its state and the dates of every transition, without secrets', async () => {
      const shown = await list()
      expect(shown).toHaveLength(3 * 7)
      expect(KEY_CALLS[0]?.responses[200]?.schema?.safeParse({ keys: shown }).error).toBeUndefined()
      const members = ['kid', 'ring', 'algorithm', 'state', 'announcedAt', 'activeAt', 'retireAt', 'removeAt']
      for (const key of shown) expect(Object.keys(key)).toEqual([...members, 'forgetAt', 'next'])
      const rsa = await line('RS256')
      const [first, next] = ['active', 'announced'].map((state) => rsa.find((key) => key.state === state))
      expect(first?.next).toEqual({ state: 'retired', at: first?.retireAt })
      expect(next?.next).toEqual({ state: 'active', at: next?.activeAt })
    })

    it('needs IAM_OWNER or IAM_OWNER_VIEWER; changes need IAM_OWNER', async () => {
      expect((await call('GET', '', { bearer: 'viewer' })).status).toBe(200)
      expect(await call('GET', '', { bearer: 'nobody' })).toMatchObject({ status: 403, json: { code: 7 } })
      expect(await call('GET', '', { bearer: 'unknown' })).toMatchObject({ status: 401, json: { code: 16 } })
      expect(await call('GET', '', { bearer: '' })).toMatchObject({ status: 401, json: { code: 16 } })
      for (const [path, body] of [
        ['/rotate', {}],
        ['/rewrap', undefined],
        ['/some/revoke', undefined],
      ] as const) {
        const answer = await call('POST', path, { bearer: 'viewer', ...(body && { body }) })
        expect([path, answer.status, answer.json.message]).toEqual([path, 403, 'needs role IAM_OWNER'])
      }
    })
  })

  describe('POST /management/v1/keys/rotate', () => {
    it('lets the next key take over at once and keeps the old one in the key set', async () => {
      const before = await line('ES256')
      const others = await line('RS256')
      const { status, json } = await rotate({ algorithm: 'ES256' })
      expect([status, (json.keys as ShownKey[]).length]).toEqual([200, 4])
      const [retired, now] = [await active('ES256'), before.find(({ state }) => state === 'active')?.kid]
      expect(retired).toBe(before.filter(({ state }) => state === 'announced').sort(byTurn)[0]?.kid)
      expect((await line('ES256')).find(({ kid }) => kid === now)?.state).toBe('retired')
      expect(await line('RS256')).toEqual(others)
      expect(await keySetOf(keys)).toEqual(expect.arrayContaining(before.map(({ kid }) => kid)))
    })

    it('a key that was announced a moment ago waits until it was visible long enough [F-27]', async () => {
      for (let time = 0; time < 3; time += 1) {
        clock.advance(1)
        await rotate({ algorithm: 'EdDSA' })
      }
      const [scheduled] = (await line('EdDSA')).filter(({ state }) => state === 'active')
      const untilSwitch = Date.parse(scheduled?.retireAt ?? '') - clock.now().getTime()
      expect(untilSwitch).toBeGreaterThan(5 * MINUTE)
      expect(untilSwitch).toBeLessThan(7 * MINUTE)
      clock.advance(7 * MINUTE)
      await expect.poll(() => active('EdDSA')).not.toBe(scheduled?.kid)
    })

    it('rotates every algorithm of the signing ring by default; rings of one algorithm by their name', async () => {
      const before = await Promise.all(['RS256', 'ES256', 'EdDSA'].map((algorithm) => active(algorithm)))
      const seal = await active('A256GCM', 'access-seal')
      await rotate({})
      const after = await Promise.all(['RS256', 'ES256', 'EdDSA'].map((algorithm) => active(algorithm)))
      for (const [index, kid] of after.entries()) expect(kid).not.toBe(before[index])
      expect(await active('A256GCM', 'access-seal')).toBe(seal)
      await rotate({ ring: 'access-seal' })
      expect(await active('A256GCM', 'access-seal')).not.toBe(seal)
    })

    it.each([
      [{ ring: 'nope' }, 'ring: must be one of signing, access-seal, code-seal, refresh-mac, origin-mac'],
      [{ algorithm: 'A256GCM' }, 'algorithm: must be one of RS256, ES256, EdDSA for signing'],
      [{ when: 'now' }, 'when: unknown field'],
    ])('%j names the field and the rule', async (body, message) => {
      expect(await rotate(body)).toMatchObject({ status: 400, json: { code: 3, message } })
    })
  })

  describe('POST /management/v1/keys/{kid}/revoke', () => {
    it('the key leaves the key set, the announced one signs at once, and token revokes the tokens of the key', async () => {
      const compromised = await active('RS256')
      const [heir] = (await line('RS256')).filter(({ state }) => state === 'announced').sort(byTurn)
      const { status, json } = await revoke(compromised)
      expect(status).toBe(200)
      expect(json.key).toMatchObject({
        kid: compromised,
        state: 'removed',
        revokedAt: clock.now().toISOString(),
      })
      expect(keys.token.ended).toContain(compromised)
      expect(await keySetOf(keys)).not.toContain(compromised)
      expect(await active('RS256')).toBe(heir?.kid)
      await expect.poll(() => keySetOf(other)).not.toContain(compromised)
      expect(await keySetOf(other)).toEqual(await keySetOf(keys))
      clock.advance(30 * DAY)
      await expect.poll(() => active('RS256')).not.toBe(heir?.kid)
      expect((await list()).find(({ kid }) => kid === compromised)?.state).toBe('removed')
    })

    it('destroys the secret', async () => {
      const kid = await active('A256GCM', 'access-seal')
      await revoke(kid)
      const { rows } = await database.connect().query<{ sealed_secret: string | null }>({
        name: 'test.secret',
        text: 'SELECT sealed_secret FROM keys.ring_key WHERE kid = $1',
        values: [kid],
      })
      expect(rows).toEqual([{ sealed_secret: null }])
    })

    it('an announced or retired key can be revoked too; the times of the others meet again', async () => {
      const inTurn = async () =>
        (await line('ES256')).filter(({ state }) => state === 'active' || state === 'announced').sort(byTurn)
      const [first, next, reserve] = await inTurn()
      await revoke(next?.kid ?? '')
      const left = await inTurn()
      expect(left.map(({ kid }) => kid).slice(0, 2)).toEqual([first?.kid, reserve?.kid])
      expect(left.map(({ activeAt }) => activeAt).slice(1)).toEqual(
        left.map(({ retireAt }) => retireAt).slice(0, 2),
      )
      expect(left).toHaveLength(3)
    })

    it('while token is away the caller gets 503, and the next ticks repeat the call until it succeeds', async () => {
      keys.token.away = true
      other.token.away = true
      const kid = await active('RS256')
      expect(await revoke(kid)).toMatchObject({ status: 503, json: { code: 14 } })
      expect(await keySetOf(keys)).not.toContain(kid)
      other.token.away = false
      await expect.poll(() => other.token.ended).toContain(kid)
      keys.token.away = false
      expect((await revoke(kid)).status).toBe(200)
    })

    it('404 for a key that does not exist, 400 for an invalid id', async () => {
      expect(await revoke('nope')).toMatchObject({ status: 404, json: { code: 5 } })
      expect(await revoke('a.b')).toMatchObject({ status: 400, json: { code: 3 } })
    })
  })
})

describe('replicas of their own', () => {
  beforeEach(start)
  afterEach(stop)

  describe('POST /management/v1/keys/rewrap', () => {
    it('seals every secret under the newest master key; afterwards the old one is not needed [F-28]', async () => {
      const newest = randomBytes(32)
      await keys.stop()
      keys = await runKeys({ clock, masterKeys: [newest, masterKey], shared: database })
      expect(await call('POST', '/rewrap')).toMatchObject({ status: 200, json: { rewrapped: 21 } })
      expect(await call('POST', '/rewrap')).toMatchObject({ json: { rewrapped: 0 } })
      await keys.stop()
      keys = await runKeys({ clock, masterKeys: [newest], shared: database })
      expect(await list()).toHaveLength(21)
    })
  })

  describe('keys.audit_event', () => {
    it('has a row for every change of a key and for every call, in the transaction of the change', async () => {
      const made = await events()
      expect(made).toHaveLength(21)
      expect(new Set(made.map(({ actor_kind }) => actor_kind))).toEqual(new Set(['service']))
      const kid = await active('ES256')
      await revoke(kid)
      await call('GET', '', { bearer: 'nobody' })
      const called = (await events()).slice(21).filter(({ actor_kind }) => actor_kind === 'service_user')
      const briefly = called.map(({ action, actor_id, result }) => `${actor_id} ${action} ${result}`)
      expect(briefly.sort()).toEqual([
        'nobody keys.read refused',
        'owner key.activate success',
        'owner key.announce success',
        'owner key.reschedule success',
        'owner key.revoke success',
        'owner key.revoke success',
        'owner keys.read success',
      ])
      for (const { details } of called) expect(details.token_id).toMatch(/^token-of-/)
      expect(
        called.filter(({ action }) => action === 'key.revoke').map(({ target_id }) => target_id),
      ).toEqual([kid, kid])
    })

    it('can be read by the directory, which shows the audit log, and by no other service', async () => {
      for (const [role, outcome] of [
        ['signet_directory', 'reads'],
        ['signet_token', 'denied'],
      ] as const) {
        const pool = createPool({ url: database.server.url(role), applicationName: 'test', max: 1 })
        const read = pool.query({ name: 'test.view', text: 'SELECT * FROM keys_read.audit_event_v1' })
        expect([
          role,
          await read.then(
            () => 'reads',
            () => 'denied',
          ),
        ]).toEqual([role, outcome])
        await pool.close()
      }
    })
  })
})

function byTurn(a: ShownKey, b: ShownKey): number {
  return Date.parse(a.activeAt) - Date.parse(b.activeAt)
}
