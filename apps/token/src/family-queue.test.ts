import { expect, it } from 'vitest'
import { createFamilyQueue } from './family-queue.ts'

it('runs two calls of a family at a time, in the order of their arrival, beside those of other families', async () => {
  const queue = createFamilyQueue()
  const started: string[] = []
  const finish = new Map<string, () => void>()
  const call = (family: string, name: string) =>
    queue.run(family, () => {
      started.push(name)
      return new Promise<string>((resolve) => finish.set(name, () => resolve(name)))
    })
  const calls = [call('f', 'a'), call('f', 'b'), call('f', 'c'), call('f', 'd'), call('g', 'x')]
  expect(started).toEqual(['a', 'b', 'x'])
  finish.get('b')?.()
  await expect.poll(() => started).toEqual(['a', 'b', 'x', 'c'])
  finish.get('a')?.()
  await expect.poll(() => started).toEqual(['a', 'b', 'x', 'c', 'd'])
  for (const name of ['c', 'd', 'x']) finish.get(name)?.()
  expect(await Promise.all(calls)).toEqual(['a', 'b', 'c', 'd', 'x'])
})

it('starts the next call after one that failed', async () => {
  const queue = createFamilyQueue()
  const failing = () => queue.run('f', () => Promise.reject(new Error('no')))
  await Promise.allSettled([failing(), failing(), failing()])
  await expect(queue.run('f', async () => 'ok')).resolves.toBe('ok')
})

it('rejects a call when the queue of its family is full', async () => {
  const queue = createFamilyQueue()
  let release: () => void = () => undefined
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const calls = Array.from({ length: 203 }, () => queue.run('f', () => gate))
  await expect(calls[202]).rejects.toMatchObject({ status: 503 })
  release()
  await Promise.all(calls.slice(0, 202))
})
