import { randomBytes } from 'node:crypto'
import type { Attempt } from '@signet/admin-api/audit/audit-recorder'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import { createFakeClock } from '@signet/testing/fake-clock'
import { watchedTransaction } from '@signet/testing/watched-transaction'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KeyStore } from '../src/rotation/key.repository.ts'
import type { KeyLife } from '../src/rotation/key-life.ts'
import { KeyRings } from '../src/rotation/key-rings.ts'
import { revokeNow, rotateNow } from '../src/rotation/plan.ts'
import { ROTATION_POLICY, type RotationPolicy } from '../src/rotation/policy.ts'
import { masterKeySealer } from '../src/sealing.ts'
import { createKeysDatabase, type KeysDatabase } from './fixtures/keys-database.ts'

const DAY = 86_400_000
const LINES = 7

const clock = createFakeClock()
const masterKey = randomBytes(32)
let keys: KeysDatabase
let admin: Database

beforeEach(async () => {
  keys = await createKeysDatabase()
  admin = keys.connect()
})
afterEach(() => keys.drop())

function replica(
  store = new KeyStore(keys.connect()),
  masterKeys: readonly Buffer[] = [masterKey],
): Promise<KeyRings> {
  return KeyRings.open({
    store,
    sealer: masterKeySealer(masterKeys),
    policy: ROTATION_POLICY,
    now: clock.now,
  })
}

async function stored() {
  const { rows } = await admin.query<{
    kid: string
    ring: string
    state: string
    sealed_secret: string | null
  }>({
    name: 'test.stored',
    text: 'SELECT kid, ring, state, sealed_secret FROM keys.ring_key ORDER BY ring, algorithm, active_at, kid',
  })
  return rows
}
const count = async (state: string) => (await stored()).filter((key) => key.state === state).length

/** A read of it arrives as late as a test wants. */
class SlowKeyStore extends KeyStore {
  #afterRead = async () => {}

  holdNextRead(): { readonly begun: Promise<void>; readonly goOn: () => void } {
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    this.#afterRead = () => {
      this.#afterRead = async () => {}
      begun.resolve()
      return goOn.promise
    }
    return { begun: begun.promise, goOn: goOn.resolve }
  }

  override async read() {
    const snapshot = await super.read()
    await this.#afterRead()
    return snapshot
  }
}

/** Cuts the connection before the nth statement of a transaction, as a crash of the process would. */
function crashingBefore(n: number, database: Database): Database {
  return {
    ...database,
    transaction: (work, options) =>
      database.transaction((tx) => {
        let statements = 0
        const query: Queryable['query'] = (statement) => {
          statements += 1
          if (statements === n) throw new Error('crash')
          return tx.query(statement)
        }
        return work(watchedTransaction({ query }, tx))
      }, options),
  }
}

const CALL: Attempt = {
  caller: { userId: 'operator', kind: 'human', organizationId: 'acme', tokenId: 't1', roles: [] },
  clientAddress: '127.0.0.1',
  action: 'test',
  target: { kind: 'keys', id: 'all' },
}

function activeOf(keys: readonly KeyLife[], algorithm: string): KeyLife {
  const found = keys.find((key) => key.algorithm === algorithm && key.state === 'active')
  if (found === undefined) throw new Error(`no active key for ${algorithm}`)
  return found
}

/** The writes of a tick of any replica at this moment. */
function rotateOn(store: KeyStore): Promise<string> {
  return replica(store).then(() => 'rotated')
}

describe('KeyRings', () => {
  it('replicas that start at once make one set of keys and agree on it', async () => {
    const replicas = await Promise.all(Array.from({ length: 4 }, () => replica()))
    expect(await count('active')).toBe(LINES)
    expect(await stored()).toHaveLength(3 * LINES)
    const [first, ...others] = replicas.map(({ current }) => current)
    for (const other of others) expect(other).toEqual(first)
  })

  it('ticks of many replicas at the moment of a switch make one heir, and all of them learn it', async () => {
    const replicas = await Promise.all(Array.from({ length: 4 }, () => replica()))
    clock.advance(30 * DAY)
    await Promise.all(replicas.map((rings) => rings.tick()))
    expect([await count('active'), await count('announced')]).toEqual([LINES, 2 * LINES])
    await Promise.all(replicas.map((rings) => rings.tick()))
    expect([await count('active'), await count('announced')]).toEqual([LINES, 2 * LINES])
    const [first, ...others] = replicas.map(({ current }) => current)
    for (const other of others) expect(other).toEqual(first)
  })

  it('a tick that read the keys before a change does not take the change back', async () => {
    const other = await replica()
    const store = new SlowKeyStore(keys.connect())
    const rings = await replica(store)
    const rotate = (ring: KeyRings, algorithm: 'ES256' | 'RS256') =>
      ring.change(
        (known, policy, now) => rotateNow(known, [{ ring: 'signing', algorithm }], policy, now),
        CALL,
      )
    await rotate(other, 'RS256')
    const held = store.holdNextRead()
    const tick = rings.tick()
    await held.begun
    const rotated = rotate(rings, 'ES256')
    await expect.poll(() => count('retired')).toBe(2)
    const { current } = await replica()
    held.goOn()
    await Promise.all([tick, rotated])
    expect(rings.current).toEqual(current)
  })

  it('the database itself refuses a second active key of a line', async () => {
    await replica()
    const second = admin.query({
      name: 'test.second_active',
      text: `INSERT INTO keys.ring_key
             SELECT 'other', ring, algorithm, 'active', announced_at, active_at, retire_at, remove_at, forget_at,
                    public_jwk, sealed_secret
               FROM keys.ring_key WHERE ring = 'access-seal' AND state = 'active'`,
    })
    await expect(second).rejects.toThrow('ring_key_one_active')
  })

  it('after a crash before any statement of a rotation the next tick completes it', async () => {
    const healthy = await replica()
    const store = (statement: number) => new KeyStore(crashingBefore(statement, admin))
    clock.advance(30 * DAY)
    const before = await stored()
    let crashes = 0
    for (let statement = 1; ; statement += 1) {
      const outcome = await rotateOn(store(statement)).catch(() => 'crashed')
      if (outcome !== 'crashed') break
      crashes += 1
      expect(crashes).toBeLessThan(60)
      expect(await stored()).toEqual(before)
    }
    // The lock, the reading, an update or two and an insert for each line, the deletion and the revision.
    expect(crashes).toBeGreaterThan(2 + 2 * LINES)
    await healthy.tick()
    expect([await count('active'), await count('announced')]).toEqual([LINES, 2 * LINES])
  })

  it.each([
    [
      'a rotation on demand',
      (keys: readonly KeyLife[], policy: RotationPolicy, now: Date) =>
        rotateNow(keys, [{ ring: 'signing', algorithm: 'ES256' }], policy, now),
    ],
    [
      'an emergency',
      (keys: readonly KeyLife[], policy: RotationPolicy, now: Date) =>
        revokeNow(keys, activeOf(keys, 'ES256'), policy, now),
    ],
  ])(
    'a crash before any statement of %s leaves everything as it was, and it can be repeated',
    async (_, plan) => {
      await replica()
      const before = await stored()
      let crashes = 0
      for (let statement = 1; ; statement += 1) {
        const rings = await replica(new KeyStore(crashingBefore(statement, admin)))
        const outcome = await rings.change(plan, CALL).catch(() => 'crashed')
        if (outcome !== 'crashed') break
        crashes += 1
        expect(crashes).toBeLessThan(20)
        expect(await stored()).toEqual(before)
      }
      // The lock, the reading, the audit log, the deletion, three changed keys, a new one and the revision.
      expect(crashes).toBe(9)
      expect((await stored()).filter(({ state }) => state === 'active')).toHaveLength(LINES)
      const { rows } = await admin.query<{ count: number }>({
        name: 'test.audit_log',
        text: "SELECT count(*) FROM keys_read.audit_event_v1 WHERE actor_id = 'operator'",
      })
      expect(rows[0]?.count).toBe(5)
    },
  )

  it('writes nothing when another replica changed the keys in spite of the lock', async () => {
    await replica()
    const store = new KeyStore(admin)
    const before = await stored()
    const overtaken = store.withRotationLock(
      async () => {
        await admin.query({
          name: 'test.overtake',
          text: 'UPDATE keys.ring_revision SET revision = revision + 1',
        })
        return { forget: before.slice(0, 1).map(({ kid }) => kid), change: [], create: [], events: [] }
      },
      { wait: true },
    )
    await expect(overtaken).rejects.toThrow('another replica')
    expect(await stored()).toEqual(before)
  })

  it('secrets are sealed at rest and destroyed when no token can need them any more [F-28]', async () => {
    const rings = await replica()
    for (const { sealed_secret } of await stored())
      expect(sealed_secret).toMatch(/^mk1\.[0-9a-f]{16}\.[\w-]+$/)
    clock.advance(30 * DAY)
    await rings.tick()
    expect((await stored()).filter(({ state }) => state === 'retired').length).toBeGreaterThan(0)
    clock.advance(2 * DAY)
    await rings.tick()
    const old = (await stored()).filter(({ state }) => state === 'verify-only')
    expect(old).toHaveLength(3)
    expect(old.map(({ sealed_secret }) => sealed_secret)).toEqual([null, null, null])
    expect(
      rings.current.keys.filter(({ state }) => state === 'verify-only').map(({ secret }) => secret),
    ).toEqual([undefined, undefined, undefined])
  })

  it('opens with an older master key of the list and seals with the newest', async () => {
    await replica()
    const newest = randomBytes(32)
    const rings = await replica(undefined, [newest, masterKey])
    clock.advance(DAY)
    await rings.tick()
    const seals = new Set((await stored()).map(({ sealed_secret }) => sealed_secret?.split('.')[1]))
    expect(seals.size).toBe(2)
  })

  it('a wrong master key is refused and changes nothing', async () => {
    await replica()
    const before = await stored()
    clock.advance(30 * DAY)
    await expect(replica(undefined, [randomBytes(32)])).rejects.toThrow('not in the list')
    expect(await stored()).toEqual(before)
  })

  it('notifies its watchers of changes that another replica made', async () => {
    const [one, other] = await Promise.all([replica(), replica()])
    const revisions: number[] = []
    const unwatch = other.watch(() => revisions.push(other.current.revision))
    clock.advance(DAY)
    await one.tick()
    await other.tick()
    await other.tick()
    expect(revisions).toEqual([one.current.revision])
    unwatch()
    clock.advance(DAY)
    await one.tick()
    await other.tick()
    expect(revisions).toHaveLength(1)
  })
})
