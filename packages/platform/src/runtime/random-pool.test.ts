import { expect, it } from 'vitest'
import { pooledRandom } from './random-pool.ts'

it('hands out each byte of its source once, and large requests directly', () => {
  let next = 0
  const asked: number[] = []
  const random = pooledRandom((size) => {
    asked.push(size)
    const bytes = Buffer.alloc(size)
    for (let at = 0; at + 4 <= size; at += 4) bytes.writeUInt32BE(next++, at)
    return bytes
  })
  const seen = new Set<string>()
  for (let turn = 0; turn < 2_000; turn += 1) {
    const piece = random(turn % 2 === 0 ? 8 : 16)
    expect(piece).toHaveLength(turn % 2 === 0 ? 8 : 16)
    for (let at = 0; at < piece.length; at += 4) seen.add(piece.subarray(at, at + 4).toString('hex'))
  }
  expect(seen.size).toBe(6_000)
  expect(new Set(asked)).toEqual(new Set([4_096]))
  expect(random(65)).toHaveLength(65)
  expect(asked.at(-1)).toBe(65)
})
