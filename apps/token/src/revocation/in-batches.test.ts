import { expect, it } from 'vitest'
import { inBatches } from './in-batches.ts'

it('what comes while a batch runs shares the next one, and each batch fails for its own callers alone', async () => {
  const batches: (readonly number[])[] = []
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const add = inBatches<number>(async (items) => {
    batches.push([...items])
    await gates[batches.length - 1]?.promise
  })
  const first = add([1])
  await expect.poll(() => batches).toEqual([[1]])
  const second = [add([2, 3]), add([4])]
  gates[0]?.resolve()
  await first
  await expect.poll(() => batches).toEqual([[1], [2, 3, 4]])
  const third = add([5])
  gates[1]?.reject(new Error('the second batch'))
  for (const caller of second) await expect(caller).rejects.toThrow('the second batch')
  gates[2]?.resolve()
  await third
  expect(batches).toEqual([[1], [2, 3, 4], [5]])
})
