import { expect, it } from 'vitest'
import { withinASecond } from '../src/within-a-second.ts'

it('forgives one long pause', async () => {
  let rounds = 0
  await withinASecond(async () => {
    rounds += 1
    // The process stands still, its timers too.
    if (rounds === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200)
    expect(rounds).toBe(20)
  })
})

it('rejects with the last error after a second of rounds, of which one takes 20 to 40 ms', async () => {
  let rounds = 0
  const never = withinASecond(async () => {
    rounds += 1
    throw new Error(`round ${rounds}`)
  })
  await expect(never).rejects.toThrow(/^round \d+$/)
  expect(rounds).toBeGreaterThan(25)
  // Timers may be early by a fraction of a millisecond.
  expect(rounds).toBeLessThan(55)
})
