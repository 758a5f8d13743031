import { describe, expect, it } from 'vitest'
import { BusyError, boundedWork } from './bounded-work.ts'

function gatedTask() {
  const gate = Promise.withResolvers<void>()
  return { run: () => gate.promise, open: () => gate.resolve(), fail: () => gate.reject(new Error('failed')) }
}

describe('bounded work', () => {
  it('runs no more at a time than allowed, in the order of arrival, and refuses what would wait too long', async () => {
    const bounded = boundedWork({ concurrency: 1, queueLimit: 1 })
    const [first, second] = [gatedTask(), gatedTask()]
    const order: string[] = []
    const firstDone = bounded(first.run).then(() => order.push('first'))
    const secondDone = bounded(() => {
      order.push('second begins')
      return second.run()
    })
    await expect(bounded(async () => 'third')).rejects.toThrow(BusyError)
    expect(order).toEqual([])
    first.open()
    await firstDone
    second.open()
    await secondDone
    expect(order.toSorted()).toEqual(['first', 'second begins'])
    await expect(bounded(async () => 'free again')).resolves.toBe('free again')
  })

  it('a failure frees its place', async () => {
    const bounded = boundedWork({ concurrency: 1, queueLimit: 0 })
    for (const _ of [1, 2, 3])
      await expect(bounded(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    await expect(bounded(async () => 'free')).resolves.toBe('free')
  })

  it('never exceeds its bound under load', async () => {
    const bounded = boundedWork({ concurrency: 3, queueLimit: 100 })
    let running = 0
    let most = 0
    await Promise.all(
      Array.from({ length: 60 }, () =>
        bounded(async () => {
          most = Math.max(most, ++running)
          await new Promise(setImmediate)
          running -= 1
        }),
      ),
    )
    expect([running, most]).toEqual([0, 3])
  })
})
