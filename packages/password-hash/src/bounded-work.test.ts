import { describe, expect, it } from 'vitest'
import { BusyError, boundedWork } from './password-hasher.ts'

function gatedTask() {
  const gate = Promise.withResolvers<void>()
  return { run: () => gate.promise, open: () => gate.resolve(), fail: () => gate.reject(new Error('failed')) }
}

describe('bounded work', () => {
  it('runs no more at a time than allowed, in the order of arrival, and refuses work that would wait too long', async () => {
    const { run: bounded } = boundedWork({ concurrency: 1, queueLimit: 1, waitMs: 60_000 })
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
    const { run: bounded } = boundedWork({ concurrency: 1, queueLimit: 0, waitMs: 60_000 })
    for (const _ of [1, 2, 3])
      await expect(bounded(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    await expect(bounded(async () => 'free')).resolves.toBe('free')
  })

  it('never exceeds its bound under load', async () => {
    const { run, runNext } = boundedWork({ concurrency: 3, queueLimit: 100, waitMs: 60_000 })
    let running = 0
    let most = 0
    await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        (at % 2 === 0 ? run : runNext)(async () => {
          most = Math.max(most, ++running)
          await new Promise(setImmediate)
          running -= 1
        }),
      ),
    )
    expect([running, most]).toEqual([0, 3])
  })

  it('refuses work that has waited too long, and runs the others', async () => {
    const { run } = boundedWork({ concurrency: 1, queueLimit: 10, waitMs: 20 })
    const first = gatedTask()
    const firstDone = run(first.run)
    let began = false
    const late = run(async () => {
      began = true
    })
    await expect(late).rejects.toThrow(BusyError)
    const inTime = run(async () => 'in time')
    first.open()
    await firstDone
    await expect(inTime).resolves.toBe('in time')
    expect(began).toBe(false)
  })

  it('continued work is next, even when no other work may wait', async () => {
    const { run, runNext } = boundedWork({ concurrency: 1, queueLimit: 1, waitMs: 60_000 })
    const first = gatedTask()
    const order: string[] = []
    const all = [
      run(first.run),
      run(async () => order.push('waited')),
      runNext(async () => order.push('went on')),
    ]
    first.open()
    await Promise.all(all)
    expect(order).toEqual(['went on', 'waited'])
  })
})
