import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { withinASecond } from '../src/within-a-second.ts'

const noChange = async () => undefined
/** Blocks the event loop, its timers too. */
const stall = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

it('rejects an assertion that passes after 7 seconds, however long each round takes', async () => {
  const from = performance.now()
  const late = withinASecond(noChange, async () => {
    await pause(300)
    if (performance.now() - from < 7_000) throw new Error('not yet')
  })
  await expect(late).rejects.toThrow('not yet')
  expect(performance.now() - from).toBeLessThan(2_500)
})

it('rejects an assertion whose only round passes after 2 seconds', async () => {
  await expect(withinASecond(noChange, () => pause(2_000))).rejects.toThrow(/^passed after \d{4} ms/)
})

it('does not count time in which the own event loop stood still', async () => {
  let rounds = 0
  await withinASecond(noChange, async () => {
    rounds += 1
    if (rounds === 1) stall(1_200)
    expect(rounds).toBe(10)
  })
})

it('subtracts a stall once', async () => {
  const from = performance.now()
  const never = withinASecond(noChange, async () => {
    if (performance.now() - from < 100) stall(4_000)
    throw new Error('never')
  })
  await expect(never).rejects.toThrow('never')
  expect(performance.now() - from).toBeGreaterThan(4_950)
  // Twice would be four seconds more; stalls by other work of the machine count too.
  expect(performance.now() - from).toBeLessThan(8_000)
})

it('counts from the end of the change', async () => {
  let changed = false
  await withinASecond(
    async () => {
      await pause(1_100)
      changed = true
    },
    async () => expect(changed).toBe(true),
  )
})

it('rejects with the error of the change and runs no assertion', async () => {
  const change = async () => {
    throw new Error('no change')
  }
  await expect(withinASecond(change, () => Promise.reject(new Error('asserted')))).rejects.toThrow(
    'no change',
  )
})
