import { expect, it } from 'vitest'
import { parseFileText } from './bootstrap-file.ts'

const bomb = [
  'a: &a [x, x, x, x, x, x, x, x, x, x]',
  ...['b', 'c', 'd', 'e'].map((name, at) => {
    const before = `*${'abcd'[at]}`
    return `${name}: &${name} [${Array.from({ length: 10 }, () => before).join(', ')}]`
  }),
].join('\n')

it.each([
  ['more values than a file can mean', bomb],
  ['a value that has itself in it', 'a: &a\n  b: *a\n'],
  ['an alias without an anchor', 'a: *b\n'],
])('names a problem of %s', (_, text) => {
  const parsed = parseFileText(text)
  expect('problems' in parsed && parsed.problems).toEqual([
    expect.stringMatching(/^has aliases that cannot be followed: /),
  ])
})

it('follows aliases', () => {
  expect(parseFileText('a: &a { b: 1 }\nc: [*a, *a]\n')).toEqual({
    document: { a: { b: 1 }, c: [{ b: 1 }, { b: 1 }] },
  })
})
