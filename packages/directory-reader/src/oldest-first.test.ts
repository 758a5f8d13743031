import { describe, expect, it } from 'vitest'
import { OldestFirst } from './row-cache.ts'

const heldBy = (values: OldestFirst<number>) => [...values.entries()].map(([key]) => key)

describe('the entry that is evicted', () => {
  it('evicts the oldest, a sixteenth at once, and nothing before the limit', () => {
    const values = new OldestFirst<number>({ most: 160, weightOf: () => 1 })
    for (let n = 0; n < 160; n += 1) values.set(`${n}`, n)
    expect(values.get('0')).toBe(0)
    values.set('one more', 1)
    expect(values.get('10')).toBeUndefined()
    expect(heldBy(values)).toEqual([...Array.from({ length: 149 }, (_, n) => `${n + 11}`), 'one more'])
  })

  it('evicts by weight, and counts a replaced value by its own', () => {
    const values = new OldestFirst<number>({ most: 10, weightOf: (weight) => weight })
    values.set('heavy', 8)
    values.set('light', 1)
    values.set('heavy', 2)
    values.set('middle', 7)
    expect(heldBy(values)).toEqual(['light', 'heavy', 'middle'])
    values.delete('middle')
    values.set('last', 7)
    expect(heldBy(values)).toEqual(['light', 'heavy', 'last'])
    values.set('too heavy', 11)
    expect(heldBy(values)).toEqual([])
  })
})
