import { afterAll, beforeAll, expect, it } from 'vitest'
import { ClientUseStore } from '../src/client-use/client-use.repository.ts'
import { createClientUses } from '../src/client-use/client-uses.service.ts'
import { dayOf } from '../src/partitions/partition-plan.ts'
import { DAY_MS, type GrantEnvironment, startGrantEnvironment } from './fixtures/grant-environment.ts'

const START = new Date('2026-03-01T10:00:00Z')
const today = dayOf(START)

let environment: GrantEnvironment
let store: ClientUseStore
beforeAll(async () => {
  environment = await startGrantEnvironment()
  store = new ClientUseStore(environment.database)
})
afterAll(() => environment?.stop())

function createReplica() {
  const writes: (readonly string[])[] = []
  const state = { now: START, isAway: false }
  const recorded = {
    async record(day: number, clientIds: readonly string[]) {
      if (state.isAway) throw new Error('away')
      writes.push(clientIds)
      await store.record(day, clientIds)
    },
    deleteBefore: (day: number) => store.deleteBefore(day),
  }
  return { uses: createClientUses(recorded, () => state.now), writes, state }
}

const dayOfClient = async (clientId: string) => (await store.find([clientId]))[0]?.day

it('writes a client once a day, however many tokens it gets', async () => {
  const { uses, writes, state } = createReplica()
  for (let request = 0; request < 100; request++) uses.note('daily')
  await uses.write()
  uses.note('daily')
  await uses.write()
  expect(writes).toEqual([['daily']])
  expect(await dayOfClient('daily')).toBe(today)
  state.now = new Date(START.getTime() + DAY_MS)
  await uses.write()
  uses.note('daily')
  await uses.write()
  expect(writes).toEqual([['daily'], ['daily']])
  expect(await dayOfClient('daily')).toBe(today + 1)
})

it('writes what it noted while PostgreSQL was away', async () => {
  const { uses, state } = createReplica()
  uses.note('noted-before')
  state.isAway = true
  await expect(uses.write()).rejects.toThrow('away')
  uses.note('noted-later')
  state.isAway = false
  await uses.write()
  expect(await store.find(['noted-before', 'noted-later', 'never'])).toHaveLength(2)
})

it('keeps the latest day of replicas that write at once', async () => {
  const clients = Array.from({ length: 50 }, (_, number) => `raced-${number}`)
  const days = [today, today + 1, today - 1, today]
  await Promise.all(days.map((day, at) => store.record(day, at % 2 === 0 ? clients : clients.toReversed())))
  const found = await store.find(clients)
  expect(found).toHaveLength(50)
  expect(new Set(found.map(({ day }) => day))).toEqual(new Set([today + 1]))
})

it('deletes days that no policy asks about', async () => {
  const { uses } = createReplica()
  await store.record(today - 403, ['gone'])
  await store.record(today - 400, ['kept'])
  await uses.deleteOld()
  expect((await store.find(['gone', 'kept'])).map(({ clientId }) => clientId)).toEqual(['kept'])
})
