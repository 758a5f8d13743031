import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ADVISORY_LOCKS } from './advisory-locks.ts'

const ROOT = new URL('../../../../', import.meta.url)

it('knows every key of a lock that a migration takes', () => {
  const files = globSync('{apps,packages}/*/migrations/**/*.sql', { cwd: ROOT })
  const taken = files.flatMap((file) => [
    ...readFileSync(new URL(file, ROOT), 'utf8').matchAll(/advisory\w*lock\w*\((\d+)/g),
  ])
  expect(files.length).toBeGreaterThan(40)
  expect(taken.map(([, key]) => Number(key))).toEqual([ADVISORY_LOCKS.lastOwner])
})
