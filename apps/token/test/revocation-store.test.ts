import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PostgresRevocationStore } from '../src/stores/postgres-revocation-store.ts'
import type { RecordedRevocation, Revocation } from '../src/stores/revocation-store.ts'
import { type GrantWorld, startGrantWorld } from './fixtures/grant-world.ts'

let world: GrantWorld
let store: PostgresRevocationStore
beforeAll(async () => {
  world = await startGrantWorld()
  store = new PostgresRevocationStore(world.database)
})
beforeEach(() => world.sql('DELETE FROM grants.revocation'))
afterAll(() => world?.stop())

const record = (...revocations: readonly Revocation[]) =>
  world.database.transaction((tx) => store.record(tx, revocations, new Date()))
const token = (id: string): Revocation => ({ kind: 't', id, value: 1, subject: 'alice' })
const unpublished = () => world.sql('SELECT id FROM grants.revocation WHERE published_at IS NULL ORDER BY id')

describe('record', () => {
  it('keeps the higher epoch, in whatever order they come', async () => {
    for (const value of [3, 5, 4]) await record({ kind: 'c', id: 'web', value })
    expect(await store.all()).toEqual([{ kind: 'c', id: 'web', value: 5 }])
  })

  it('a value that was published and rises is unpublished again', async () => {
    await store.markPublished(await record({ kind: 'c', id: 'web', value: 3 }))
    expect(await unpublished()).toEqual([])
    await record({ kind: 'c', id: 'web', value: 4 })
    expect(await unpublished()).toEqual([{ id: 'web' }])
  })

  it('a value that rose while the old one was being published stays unpublished', async () => {
    const old = await record({ kind: 'c', id: 'web', value: 3 })
    await record({ kind: 'c', id: 'web', value: 4 })
    await store.markPublished(old)
    expect(await unpublished()).toEqual([{ id: 'web' }])
  })

  it('what is published stays as it is when it is recorded again', async () => {
    await store.markPublished(await record({ kind: 'u', id: 'alice', value: 3, subject: 'alice' }))
    expect(await record({ kind: 'u', id: 'alice', value: 2, subject: 'alice' })).toEqual([])
    expect(await unpublished()).toEqual([])
  })

  it('calls with much in common, each in an order of its own, wait for each other and all succeed', async () => {
    const other = new PostgresRevocationStore(world.database)
    const ids = Array.from({ length: 40 }, (_, n) => `client-${n}`)
    const raise = async (value: number) => {
      const turned = [...ids.slice(value), ...ids.slice(0, value)]
      const inOrder = value % 2 === 0 ? turned : turned.toReversed()
      const recorded = await record(...inOrder.map((id) => ({ kind: 'c' as const, id, value })))
      await other.markPublished(recorded.toReversed())
    }
    await Promise.all(Array.from({ length: 40 }, (_, value) => raise(value)))
    expect(new Set((await store.all()).map(({ value }) => value))).toEqual(new Set([39]))
    expect(await unpublished()).toEqual([])
  })

  it('writes nothing when the transaction around it fails', async () => {
    const failing = world.database.transaction(async (tx) => {
      await store.record(tx, [token('rolled-back')], new Date())
      throw new Error('later')
    })
    await expect(failing).rejects.toThrow('later')
    expect(await store.all()).toEqual([])
  })
})

describe('withUnpublished', () => {
  it('leaves young rows to the request that made them', async () => {
    await record(token('young'))
    expect(await store.withUnpublished(60_000, async () => undefined)).toBe(0)
    expect(await store.withUnpublished(0, async () => undefined)).toBe(1)
    expect(await unpublished()).toEqual([])
  })

  it('what could not be published is found again', async () => {
    await record(token('a'))
    const failing = store.withUnpublished(0, async () => {
      throw new Error('Redis is away')
    })
    await expect(failing).rejects.toThrow('Redis is away')
    expect(await unpublished()).toEqual([{ id: 'a' }])
  })

  it('replicas that sweep at once take each row once and wait for nobody', async () => {
    await record(...Array.from({ length: 40 }, (_, n) => token(`t${n}`)))
    const other = new PostgresRevocationStore(world.database)
    const taken: RecordedRevocation[] = []
    let second = 0
    const first = await store.withUnpublished(0, async (rows) => {
      taken.push(...rows)
      // While the first holds its rows the second finds none of them.
      second = await other.withUnpublished(0, async (more) => void taken.push(...more))
    })
    expect([first, second]).toEqual([40, 0])
    expect(new Set(taken.map(({ id }) => id)).size).toBe(40)
  })
})
