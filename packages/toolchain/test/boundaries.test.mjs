import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { checkBarrels } from '../boundaries/check-barrels.mjs'
import { checkEnvironment } from '../boundaries/check-environment.mjs'
import { checkLengths } from '../boundaries/check-lengths.mjs'
import { checkPaths } from '../boundaries/check-paths.mjs'
import { DEPENDENCY_RULES } from '../boundaries/dependency-rules.mjs'
import { repository, temporaryFolder, writeFiles } from './fixtures/repository.mjs'

const SCRIPT = fileURLToPath(new URL('../boundaries.mjs', import.meta.url))

/** @param {string} root @param {string[]} nodeOptions */
function runCheck(root, ...nodeOptions) {
  const { status, stderr } = spawnSync(process.execPath, [...nodeOptions, SCRIPT, root], { encoding: 'utf8' })
  return { status, lines: stderr.split('\n').filter((line) => !line.startsWith('    ') && line !== '') }
}

/** Rule, file, content, end of what it imports. */
const PLANTED = /** @type {const} */ ([
  ['imports-resolve', 'apps/keys/src/config.ts', "import './missing.ts'\n", './missing.ts'],
  [
    'production-imports-are-dependencies',
    'apps/keys/src/c.ts',
    "import 'testcontainers'\n",
    'testcontainers/index.js',
  ],
  ['no-cycles', 'packages/rpc/src/a.ts', "import { b } from './b.ts'\nexport const a = () => b\n", 'b.ts'],
  [
    'apps-do-not-import-apps',
    'apps/login/src/service.ts',
    "import '@signet/keys/service'\n",
    'keys/src/service.ts',
  ],
  [
    'standalone-composes-services',
    'apps/standalone/src/a.ts',
    "import '@signet/keys/stores/ring-store'\n",
    'ring-store.ts',
  ],
  [
    'migrate-prepares-databases',
    'apps/migrate/src/a.ts',
    "import '@signet/keys/service'\n",
    'keys/src/service.ts',
  ],
  [
    'packages-do-not-import-apps',
    'packages/rpc/src/c.ts',
    "import '@signet/keys/service'\n",
    'keys/src/service.ts',
  ],
  [
    'packages-are-imported-by-name',
    'packages/rpc/src/d.ts',
    "import '../../oauth-protocol/src/scopes.ts'\n",
    'scopes.ts',
  ],
  [
    'adapters-do-not-touch-stores',
    'apps/keys/src/jobs/tick.ts',
    "import '../stores/ring-store.ts'\n",
    'ring-store.ts',
  ],
  [
    'adapters-do-not-touch-stores',
    'apps/keys/src/rpc/key-service.ts',
    "import 'ioredis'\n",
    'ioredis/index.js',
  ],
  [
    'use-cases-are-transport-free',
    'apps/login/src/sign-in/a.ts',
    "import type { R } from 'express'\nexport type A = R\n",
    'express/index.js',
  ],
  ['use-cases-are-transport-free', 'apps/login/src/sign-in/b.ts', "import 'bullmq'\n", 'bullmq/index.js'],
  [
    'use-cases-do-not-import-adapters',
    'apps/login/src/sign-in/c.ts',
    "import '../http/page.ts'\n",
    'http/page.ts',
  ],
  [
    'use-cases-know-stores-by-interface',
    'apps/keys/src/rotation/a.ts',
    "import '../stores/ring-store.ts'\n",
    'ring-store.ts',
  ],
  ['oauth-protocol-is-pure', 'packages/oauth-protocol/src/a.ts', "import 'jose'\n", 'jose/index.js'],
  ['oauth-protocol-is-pure', 'packages/oauth-protocol/src/b.ts', "import 'node:fs'\n", 'fs'],
  ['token-format-is-pure', 'packages/token-format/src/a.ts', "import '@signet/rpc/grpc'\n", 'grpc.ts'],
  ['only-rpc-knows-grpc', 'apps/keys/src/a.ts', "import '@grpc/grpc-js'\n", 'grpc-js/index.js'],
  [
    'production-does-not-import-test-code',
    'apps/keys/src/b.ts',
    "import '@signet/testkit/clock'\n",
    'clock.ts',
  ],
])

describe('who may import what', () => {
  it('finds nothing wrong with a sound repository', () => {
    expect(runCheck(repository({}))).toEqual({ status: 0, lines: [expect.stringMatching(/, 0 violations$/)] })
  })

  it('catches exactly the planted violations, at least one of each rule', () => {
    const planted = Object.fromEntries(PLANTED.map(([, path, content]) => [path, content]))
    const { status, lines } = runCheck(
      repository({
        ...planted,
        'packages/rpc/src/b.ts': "import { a } from './a.ts'\nexport const b = () => a\n",
        'apps/login/src/http/page.ts': 'export const page = 1\n',
      }),
    )
    const expected = PLANTED.map(([rule, path, , imported]) => {
      const from = rule === 'no-cycles' ? 'packages/rpc/src/[ab].ts' : path
      const to = rule === 'no-cycles' ? '[ab].ts' : imported
      return expect.stringMatching(new RegExp(`^${rule}: ${from} imports (.*/)?${to}$`))
    })
    expect(lines.slice(0, -1).sort()).toEqual(expect.arrayContaining(expected))
    expect(lines).toHaveLength(PLANTED.length + 1)
    expect(status).toBe(1)
    expect(new Set(PLANTED.map(([rule]) => rule))).toEqual(new Set(DEPENDENCY_RULES.map(({ name }) => name)))
  })

  it('fails when it cannot read TypeScript', () => {
    const folder = temporaryFolder('blind')
    writeFiles(folder, {
      'blind.cjs': `const Module = require('node:module')
        const resolve = Module._resolveFilename
        Module._resolveFilename = function (request, ...rest) {
          if (request.startsWith('typescript')) throw new Error('not installed')
          return resolve.call(this, request, ...rest)
        }`,
    })
    const { status, lines } = runCheck(repository({}), '--require', join(folder, 'blind.cjs'))
    expect(lines[0]).toMatch(
      /^not seen by dependency-cruiser: apps|^dependency-cruiser saw no import in apps/,
    )
    expect(status).toBe(1)
  })

  it('fails where there is nothing to see', () => {
    const folder = temporaryFolder('empty')
    writeFiles(folder, { 'apps/.keep': '', 'packages/.keep': '' })
    expect(runCheck(folder)).toMatchObject({ status: 1 })
  })
})

describe('names of files', () => {
  it.each([
    ['apps/keys/src/utils/hash.ts', 'utils'],
    ['apps/keys/src/lib/hash.ts', 'lib'],
    ['packages/rpc/src/session-manager.ts', 'manager'],
    ['packages/rpc/test/helpers.test.ts', 'helpers'],
  ])('refuses %s', (path, word) => {
    expect(checkPaths([path])).toEqual([expect.stringMatching(`^${path}: "${word}"`)])
  })

  it('takes what only looks similar', () => {
    expect(checkPaths(['packages/http-server/src/oauth-error-handler.ts', 'apps/a/src/database.ts'])).toEqual(
      [],
    )
  })
})

it('refuses a file that only re-exports, and takes a table that is called index', () => {
  const folder = temporaryFolder('barrels')
  const files = {
    'packages/rpc/src/index.ts':
      "/** All. */\nexport { server } from './grpc.ts'\nexport * from './grpc.ts'\n",
    'packages/rpc/src/grants/index.ts':
      "import { server } from '../grpc.ts'\nexport const grants = { server }\n",
  }
  writeFiles(folder, files)
  expect(checkBarrels(folder, Object.keys(files))).toEqual([
    expect.stringMatching(/^packages\/rpc\/src\/index\.ts/),
  ])
})

describe('lengths of files', () => {
  it.each([
    ['packages/rpc/src/long.ts', 300],
    ['packages/rpc/test/long.ts', 600],
    ['packages/rpc/src/long.test.ts', 600],
    ['apps/login/src/main.ts', 30],
  ])('%s may have %i lines', (path, limit) => {
    const folder = temporaryFolder('lengths')
    writeFiles(folder, { [path]: 'x\n'.repeat(limit) })
    expect(checkLengths(folder, [path], {})).toEqual([])
    writeFiles(folder, { [path]: 'x\n'.repeat(limit + 1) })
    expect(checkLengths(folder, [path], {})).toEqual([expect.stringMatching(`^${path}: ${limit + 1} lines`)])
    expect(checkLengths(folder, [path], { [path]: 'A table of one line each.' })).toEqual([])
  })

  it('refuses an exception that nothing needs any more', () => {
    expect(checkLengths('/', [], { 'apps/gone.ts': 'Was long.' })).toEqual([
      expect.stringMatching(/needs no entry/),
    ])
  })
})

describe('reads of the environment', () => {
  it.each([
    'export const x = process.env.X\n',
    "import { env } from 'node:process'\nexport { env }\n",
    'export const { env } = process\n',
    "export const x = process['env']\n",
  ])('are refused outside of main.ts: %j', (content) => {
    const folder = temporaryFolder('environment')
    const paths = ['apps/keys/src/main.ts', 'apps/keys/src/config.ts']
    writeFiles(folder, Object.fromEntries(paths.map((path) => [path, content])))
    expect(checkEnvironment(folder, paths)).toEqual([
      expect.stringMatching(/config\.ts: reads the environment/),
    ])
  })
})
