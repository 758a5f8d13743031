import { readFileSync } from 'node:fs'
import type { TestTitle } from './test-titles.ts'

/** Requirements by id, under the heading of the specification that states them. */
export type Requirements = Readonly<Record<string, Readonly<Record<string, string>>>>

const FOLDER = new URL('../../requirements/', import.meta.url)

export const specRequirements = read<Requirements>('spec.json')
export const securityRequirements = read<Readonly<Record<string, string>>>('security.json')
export const conformanceModules = read<Readonly<Record<string, readonly string[]>>>('conformance.json')

/** A title ends in the ids of what it proves, each in brackets; `[a.b.*]` stands for every row that begins with `a.b.`. */
const SPEC_ID = /\[([a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)*\.(?:[a-z0-9_-]+|\*))\]/g

/** The requirement ids in a title, or prefixes that end in `*`. */
export function specIdsIn(title: string): readonly string[] {
  return [...title.matchAll(SPEC_ID)].map(([, id = '']) => id)
}

/** The title without its ids. */
export function withoutSpecIds(title: string): string {
  return title.replaceAll(SPEC_ID, '').trim()
}

/** The tests that name a requirement of the specification. */
export function testsOf(id: string, titles: readonly TestTitle[]): readonly TestTitle[] {
  return titles.filter(({ title }) => specIdsIn(title).some((pattern) => matches(pattern, id)))
}

export function matches(pattern: string, id: string): boolean {
  return pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : pattern === id
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'))
}
