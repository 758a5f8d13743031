import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { RpcError } from './error.ts'
import { createHedgeBudget, hedgeRead } from './hedging.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const DELAY_MS = 200

/** Attempts that respond when the test says so. */
function attempts() {
  const made: {
    readonly signal: AbortSignal
    readonly respond: (text: string) => void
    readonly fail: (error: Error) => void
  }[] = []
  const attempt = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      made.push({ signal, respond: resolve, fail: reject })
      signal.addEventListener('abort', () => reject(new Error('aborted')))
    })
  return { made, attempt }
}

const hedging = (budget = createHedgeBudget()) => ({ budget, delayMs: DELAY_MS })

it('makes a read once that responds in time', async () => {
  const { made, attempt } = attempts()
  const read = hedgeRead(attempt, hedging())
  await vi.advanceTimersByTimeAsync(DELAY_MS - 1)
  made[0]?.respond('first')
  expect(await read).toBe('first')
  await vi.advanceTimersByTimeAsync(10 * DELAY_MS)
  expect(made).toHaveLength(1)
})

it('makes a slow read three times, returns the first response and aborts the others', async () => {
  const { made, attempt } = attempts()
  const read = hedgeRead(attempt, hedging())
  await vi.advanceTimersByTimeAsync(10 * DELAY_MS)
  expect(made).toHaveLength(3)
  made[1]?.respond('second')
  expect(await read).toBe('second')
  expect(made.map(({ signal }) => signal.aborted)).toEqual([true, true, true])
})

it('tells of hedges that are sent, won and withheld', async () => {
  const events: string[] = []
  const budget = createHedgeBudget((event) => events.push(event))
  const { made, attempt } = attempts()
  const read = hedgeRead(attempt, hedging(budget))
  await vi.advanceTimersByTimeAsync(DELAY_MS)
  made[1]?.respond('second')
  await read
  expect(events).toEqual(['sent', 'won'])
  while (budget.spend());
  expect(new Set(events.slice(2, -1))).toEqual(new Set(['sent']))
  expect(events.at(-1)).toBe('withheld')
})

it('rejects with the error that a replica responds with, and makes no more attempts', async () => {
  const { made, attempt } = attempts()
  const read = hedgeRead(attempt, hedging())
  made[0]?.fail(new Error('not found'))
  await expect(read).rejects.toThrow('not found')
  await vi.advanceTimersByTimeAsync(10 * DELAY_MS)
  expect(made).toHaveLength(1)
})

it.each(['UNAVAILABLE', 'RESOURCE_EXHAUSTED'] as const)(
  'fails as %s only when no attempt is left that may respond',
  async (code) => {
    const { made, attempt } = attempts()
    const read = hedgeRead(attempt, hedging())
    await vi.advanceTimersByTimeAsync(DELAY_MS)
    made[1]?.fail(new RpcError(code, 'the hedge'))
    await vi.advanceTimersByTimeAsync(DELAY_MS)
    expect(made).toHaveLength(3)
    made[0]?.respond('first')
    expect(await read).toBe('first')

    const other = attempts()
    const failing = hedgeRead(other.attempt, hedging())
    const rejected = expect(failing).rejects.toThrow('the first')
    await vi.advanceTimersByTimeAsync(DELAY_MS)
    other.made[1]?.fail(new RpcError(code, 'the hedge'))
    other.made[0]?.fail(new RpcError(code, 'the first'))
    await rejected
    await vi.advanceTimersByTimeAsync(10 * DELAY_MS)
    expect(other.made).toHaveLength(2)
  },
)

it('ends all attempts when the caller gives up', async () => {
  const { made, attempt } = attempts()
  const caller = new AbortController()
  const read = hedgeRead(attempt, { ...hedging(), signal: caller.signal })
  const rejected = expect(read).rejects.toThrow('aborted')
  await vi.advanceTimersByTimeAsync(DELAY_MS)
  caller.abort()
  await rejected
  await vi.advanceTimersByTimeAsync(10 * DELAY_MS)
  expect(made.map(({ signal }) => signal.aborted)).toEqual([true, true])
})

it('stops hedging when hedges do not respond first, and goes on while they do', async () => {
  /** Reads of which this attempt responds, and the number of all attempts. */
  const readsBy = async (responding: 0 | 1, count: number, options: ReturnType<typeof hedging>) => {
    let all = 0
    for (let read = 0; read < count; read += 1) {
      const { made, attempt } = attempts()
      const response = hedgeRead(attempt, options)
      await vi.advanceTimersByTimeAsync(DELAY_MS + 1)
      ;(made[responding] ?? made[0])?.respond('')
      await response
      all += made.length
    }
    return all
  }
  expect(await readsBy(1, 200, hedging())).toBe(400)
  const lost = await readsBy(0, 200, hedging())
  expect(lost).toBeGreaterThan(200)
  expect(lost).toBeLessThan(260)
})
