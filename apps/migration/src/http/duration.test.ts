import { expect, it } from 'vitest'
import { parseDuration } from './duration.ts'

it.each([
  ['30s', 30_000],
  ['10m', 600_000],
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['500ms', 500],
  ['-1s', -1_000],
  ['0', 0],
  ['', undefined],
  ['10', undefined],
  ['1d', undefined],
  ['1h 2m', undefined],
  ['s', undefined],
])('export-format 1.3: %j is %j ms', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds)
})
