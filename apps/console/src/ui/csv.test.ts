import { expect, it } from 'vitest'
import { csvOf } from './csv.ts'

it('quotes what ends a cell or a row', () => {
  expect(csvOf([['a', 'b,c', 'd"e', 'f\ng']])).toBe('a,"b,c","d""e","f\ng"\r\n')
})

it.each(['=HYPERLINK("https://evil.example")', '+1', '-1', '@SUM(A1)', '\t=1'])(
  'gives a spreadsheet no formula: %s',
  (text) => {
    expect(csvOf([[text]])).toMatch(/^"'/)
  },
)
