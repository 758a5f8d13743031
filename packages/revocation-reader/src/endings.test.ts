import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { readEntry } from './endings.ts'

const fieldsOf = (mark: unknown, generation: number | string = 1) => [
  ...['generation', String(generation), 'made', '1764000000000'],
  ...['endings', JSON.stringify([mark]), 'mac', randomBytes(32).toString('base64url')],
]

it('reads an ending whose proof it cannot check', () => {
  expect(readEntry(fieldsOf(['u', 'alice', 3, 100]))).toEqual({
    generation: 1,
    madeAt: 1_764_000_000_000,
    endings: [{ kind: 'u', id: 'alice', value: 3, secondsLeft: 100 }],
  })
})

it.each([
  ['an end that never comes', ['u', 'alice', 1, null]],
  ['an end in a year', ['u', 'alice', 1, 366 * 86_400]],
  ['a value of 0', ['u', 'alice', 0, 100]],
  ['no id', ['g', '', 1, 100]],
  ['an id that PostgreSQL cannot hold', ['g', 'a\0b', 1, 100]],
  ['an epoch that no later one can exceed', ['u', 'alice', Number.MAX_SAFE_INTEGER, 100]],
])('refuses %s', (_, mark) => {
  expect(readEntry(fieldsOf(mark))).toBeUndefined()
})

it.each([Number.MAX_SAFE_INTEGER, -1, 'x'])('refuses the generation %s', (generation) => {
  expect(readEntry(fieldsOf(['u', 'alice', 3, 100], generation))).toBeUndefined()
})
