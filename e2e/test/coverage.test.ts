import { describe, expect, it } from 'vitest'
import { coverageDocument } from '../src/coverage/coverage-document.ts'
import {
  conformanceModules,
  matches,
  securityRequirements,
  specIdsIn,
  specRequirements,
  testsOf,
} from '../src/coverage/requirements.ts'
import { readTestTitles } from '../src/coverage/test-titles.ts'

const ROOT = new URL('../../', import.meta.url)
const titles = readTestTitles(ROOT)
const named = titles.map(({ title }) => title).join('\n')

describe('the tables of the specification', () => {
  const ids = Object.values(specRequirements).flatMap((rows) => Object.keys(rows))

  it('name every requirement once', () => {
    expect(ids.length).toBeGreaterThan(140)
    expect(ids).toEqual([...new Set(ids)])
  })

  it('have a test for every row', () => {
    expect(ids.filter((id) => testsOf(id, titles).length === 0)).toEqual([])
  })

  it('have every row that a test names', () => {
    const patterns = titles.flatMap(({ title }) => specIdsIn(title))
    expect(patterns.filter((pattern) => !ids.some((id) => matches(pattern, id)))).toEqual([])
  })

  it('are in docs/spec-coverage.md with their tests', async () => {
    const document = coverageDocument(specRequirements, titles)
    await expect(document).toMatchFileSnapshot('../../docs/spec-coverage.md')
  })
})

describe('the security baseline', () => {
  const tested = new Set(named.match(/\bF-\d\d\b/g))

  it.each(Object.entries(securityRequirements))('%s has a test: %s', (id) => {
    expect(tested).toContain(id)
  })
})

describe('the certification plans', () => {
  const modules = Object.values(conformanceModules).flat()
  const tested = new Set([...named.matchAll(/\boidcc-[a-z0-9-]*[a-z0-9]/g)].map(([name]) => name))

  it.each(modules)('%s has a test', (module) => {
    expect(tested).toContain(module)
  })

  it('have every module that a test names', () => {
    expect([...tested].filter((name) => !modules.includes(name))).toEqual([])
  })
})
