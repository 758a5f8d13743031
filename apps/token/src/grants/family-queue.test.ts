import { expect, it } from 'vitest'
import { createFamilyTurns } from './family-queue.ts'

it('lets two calls of a family run at a time, in the order they came, and others beside them', async () => {
  const turns = createFamilyTurns()
  const started: string[] = []
  const finish = new Map<string, () => void>()
  const call = (family: string, name: string) =>
    turns.take(family, () => {
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

it('a call that fails gives its place back', async () => {
  const turns = createFamilyTurns()
  const failing = () => turns.take('f', () => Promise.reject(new Error('no')))
  await Promise.allSettled([failing(), failing(), failing()])
  await expect(turns.take('f', async () => 'ok')).resolves.toBe('ok')
})

it('refuses further requests for a family when its queue is full', async () => {
  const turns = createFamilyTurns()
  let release: () => void = () => undefined
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const calls = Array.from({ length: 203 }, () => turns.take('f', () => gate))
  await expect(calls[202]).rejects.toMatchObject({ status: 503 })
  release()
  await Promise.all(calls.slice(0, 202))
})
