import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bundleApp } from '../docker/bundle-app.ts'

let root: string

beforeEach(() => {
  // A letter that a URL writes differently.
  root = realpathSync(mkdtempSync(join(tmpdir(), 'bundlé app-')))
})
afterEach(() => rmSync(root, { recursive: true }))

it('runs every module in one file, but those that are imported later', async () => {
  write(
    'app/dist/main.js',
    `import { word } from './deep/word.js'\nconsole.log(word, (await import('./later.js')).later)`,
  )
  write('app/dist/deep/word.js', `export const word = 'bundled'`)
  write('app/dist/later.js', `export const later = 'too'`)

  await bundle()
  rmSync(join(root, 'app/dist'), { recursive: true })

  expect(run()).toBe('bundled too')
  expect(readdirSync(join(root, 'app/bundle')).sort()).toEqual(['later.js', 'main.js'])
})

it('gives a module its location, by every way of reading it', async () => {
  write('app/dist/main.js', `import './deep/asks.js'\nimport 'asks-too'`)
  write('app/dist/deep/asks.js', `console.log(import.meta.url, import.meta.filename, import.meta.dirname)`)
  write('app/node_modules/asks-too/index.js', `console.log(__filename, __dirname)`)

  await bundle()

  const asks = join(root, 'app/dist/deep/asks.js')
  const asksToo = join(root, 'app/node_modules/asks-too/index.js')
  expect(run().split('\n')).toEqual([
    `${pathToFileURL(asks)} ${asks} ${dirname(asks)}`,
    `${asksToo} ${dirname(asksToo)}`,
  ])
})

it('takes sources, and packages of the workspace from theirs', async () => {
  write(
    'app/src/main.ts',
    `import { word } from 'neighbour/word'\nconst said: string = word\nconsole.log(said)`,
  )
  write(
    'app/node_modules/neighbour/package.json',
    JSON.stringify({ type: 'module', exports: NEIGHBOUR_EXPORTS }),
  )
  write('app/node_modules/neighbour/src/word.ts', `export const word: string = 'as written'`)

  await bundle('src/main.ts')
  expect(run()).toBe('as written')
})

it('refuses an unresolved import, and leaves an optional require to its module', async () => {
  write('app/dist/main.js', `import './optional.cjs'`)
  write('app/dist/optional.cjs', `try { require('nobody') } catch { console.log('without') }`)
  await bundle()
  expect(run()).toBe('without')

  write('app/dist/main.js', `import 'nobody'`)
  await expect(bundle()).rejects.toThrow(/main\.js cannot be bundled:.*nobody/s)
})

const NEIGHBOUR_EXPORTS = { './*': './src/*.ts' }

function write(path: string, content: string): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

function bundle(entry = 'dist/main.js'): Promise<void> {
  return bundleApp({ entry: join(root, 'app', entry), folder: join(root, 'app/bundle') })
}

function run(): string {
  write('app/package.json', JSON.stringify({ type: 'module' }))
  return execFileSync(process.execPath, [join(root, 'app/bundle/main.js')], { encoding: 'utf8' }).trim()
}
