import { describe, expect, it } from 'vitest'
import { createGroupedCall } from './in-groups.ts'

/** A `work` whose runs end when the test says so. */
function gatedWork() {
  const runs: { readonly items: readonly number[]; readonly end: PromiseWithResolvers<void> }[] = []
  const work = async (items: readonly number[]) => {
    const end = Promise.withResolvers<void>()
    runs.push({ items, end })
    await end.promise
    return items.map((item) => item * 10)
  }
  return { runs, work, asked: () => runs.map(({ items }) => items) }
}

describe('createGroupedCall', () => {
  it('calls of one turn share a run, and each caller gets its own result', async () => {
    const { runs, work, asked } = gatedWork()
    const call = createGroupedCall(10, work)
    const answers = Promise.all([call(1), call(2), call(3)])
    await expect.poll(asked).toEqual([[1, 2, 3]])
    runs[0]?.end.resolve()
    expect(await answers).toEqual([10, 20, 30])
  })

  it('calls during a run share the next one', async () => {
    const { runs, work, asked } = gatedWork()
    const call = createGroupedCall(10, work)
    const answers = [call(1)]
    await expect.poll(asked).toEqual([[1]])
    answers.push(call(2))
    await new Promise(setImmediate)
    answers.push(call(3))
    await new Promise(setImmediate)
    expect(asked()).toEqual([[1]])
    runs[0]?.end.resolve()
    await expect.poll(asked).toEqual([[1], [2, 3]])
    runs[1]?.end.resolve()
    expect(await Promise.all(answers)).toEqual([10, 20, 30])
    const last = call(4)
    await expect.poll(() => runs.length).toBe(3)
    runs[2]?.end.resolve()
    expect(await last).toBe(40)
  })

  it('no run has more items than it may have, in the order in which they came', async () => {
    const { runs, work, asked } = gatedWork()
    const call = createGroupedCall(2, work)
    const answers = Promise.all([1, 2, 3, 4, 5].map(call))
    for (const [n] of [[1, 2], [3, 4], [5]].entries()) {
      await expect.poll(() => runs.length).toBe(n + 1)
      runs[n]?.end.resolve()
    }
    expect(await answers).toEqual([10, 20, 30, 40, 50])
    expect(asked()).toEqual([[1, 2], [3, 4], [5]])
  })

  it('a run that fails fails its own callers, and the next one begins', async () => {
    const { runs, work } = gatedWork()
    const call = createGroupedCall(2, work)
    const answers = Promise.allSettled([1, 2, 3].map(call))
    await expect.poll(() => runs.length).toBe(1)
    runs[0]?.end.reject(new Error('the first run'))
    await expect.poll(() => runs.length).toBe(2)
    runs[1]?.end.resolve()
    expect(await answers).toEqual([
      { status: 'rejected', reason: new Error('the first run') },
      { status: 'rejected', reason: new Error('the first run') },
      { status: 'fulfilled', value: 30 },
    ])
  })
})
