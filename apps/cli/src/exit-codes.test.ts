import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { EXITS } from './exit-codes.ts'

it('has a row of the README for each exit code, in order, with its meaning', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const rows = [...readme.matchAll(/^\| (\d+) \| ([^|;]+?)(?:; [^|]*)? \|$/gm)].map(([, code, meaning]) => ({
    code: Number(code),
    meaning,
  }))
  expect(rows).toEqual(Object.values(EXITS))
})
