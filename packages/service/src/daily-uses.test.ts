import { createFakeClock } from '@signet/testing/fake-clock'
import { expect, it } from 'vitest'
import { createDailyUses } from './daily-uses.ts'

const DAY_MS = 86_400_000
const dateOf = (at: Date) => at.toISOString().slice(0, 10)

function record() {
  const clock = createFakeClock()
  const rows: (readonly [day: string, ids: readonly string[]])[] = []
  const store = {
    isAway: false,
    async record(at: Date, ids: readonly string[]) {
      if (store.isAway) throw new Error('away')
      rows.push([dateOf(at), ids])
    },
  }
  const day = () => dateOf(clock.now())
  return { clock, rows, store, day, uses: createDailyUses(store.record, clock.now) }
}

it('writes a provider once a day, and none that was not used', async () => {
  const { clock, rows, day, uses } = record()
  await uses.write()
  for (let time = 0; time < 5; time += 1) {
    uses.note('google')
    uses.note('okta')
    await uses.write()
  }
  const first = day()
  clock.advance(DAY_MS)
  await uses.write()
  uses.note('google')
  await uses.write()
  expect(rows).toEqual([
    [first, ['google', 'okta']],
    [day(), ['google']],
  ])
})

it('writes those of a failed write with the next one', async () => {
  const { rows, store, day, uses } = record()
  uses.note('google')
  store.isAway = true
  await expect(uses.write()).rejects.toThrow('away')
  store.isAway = false
  uses.note('okta')
  await uses.write()
  expect(rows).toEqual([
    [day(), ['okta', 'google']].map((part) => (Array.isArray(part) ? expect.arrayContaining(part) : part)),
  ])
})
