import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const files = new Map(
  globSync(['{apps,packages}/*/{src,test}/**/*.ts', 'e2e/{src,test}/**/*.ts'], { cwd: root }).map((file) => [
    file,
    readFileSync(join(root, file), 'utf8'),
  ]),
)
const isTest = (file: string) => /\.(test|soak|images)\.ts$/.test(file)
const registers = (file: string) =>
  /^(describe|it|beforeAll|beforeEach|afterAll|afterEach)\b/m.test(files.get(file) ?? '')

/** The modules of its package that a file loads. */
function loadedBy(file: string, found = new Set<string>()): ReadonlySet<string> {
  for (const [, path = ''] of (files.get(file) ?? '').matchAll(/^(?:import|export)\b[^;]*?'(\.[^']+)'/gm)) {
    const module = join(dirname(file), path)
    if (found.has(module)) continue
    found.add(module)
    loadedBy(module, found)
  }
  return found
}

const partsOf = (file: string) => [...loadedBy(file)].filter((module) => registers(module) && !isTest(module))
const tests = [...files.keys()].filter((file) => /\/test\/.*\.test\.ts$/.test(file))

it('no test loads a module that registers tests or hooks, which a process of many files would load once', () => {
  expect(tests.length).toBeGreaterThan(100)
  expect(tests.filter((file) => partsOf(file).length > 0)).toEqual([])
})
