import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ADVISORY_LOCKS } from './advisory-locks.ts'

const APPS = new URL('../../../../apps/', import.meta.url)

function migrations(): readonly string[] {
  const folders = readdirSync(APPS)
    .map((app) => new URL(`${app}/migrations/`, APPS))
    .filter((folder) => existsSync(folder))
  return folders.flatMap((folder) =>
    readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8')),
  )
}

it('knows every key of a lock that a migration takes', () => {
  const taken = migrations().flatMap((sql) => [...sql.matchAll(/advisory\w*lock\w*\((\d+)/g)])
  expect(taken.length).toBeGreaterThan(5)
  const known: readonly number[] = Object.values(ADVISORY_LOCKS)
  expect(taken.map(([, key]) => Number(key)).filter((key) => !known.includes(key))).toEqual([])
})
