import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryFolder } from './temporary-folder.mjs'

const MODULE = fileURLToPath(new URL('../test-nightly.mjs', import.meta.url))

/** Runs these commands of `npm run test:nightly`, one of which fails, on a machine with these programs. */
function testNightly(names, { failing = '', programs = [] } = {}) {
  const folder = temporaryFolder(Object.fromEntries(programs.map((name) => [name, '#!/bin/sh\n'])))
  const source = `import { testNightly } from ${JSON.stringify(MODULE)}
const runCommand = async ([name]) => ({ code: name === ${JSON.stringify(failing)} ? 3 : 0 })
process.exitCode = await testNightly(${JSON.stringify(names)}, runCommand, { PATH: ${JSON.stringify(folder)} })`
  const args = ['--input-type=module', '--eval', source]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return { status, stdout, stderr }
}

it('runs every command although one fails, and prints one table at the end', () => {
  const { status, stdout } = testNightly([], { failing: 'test:upgrade' })
  expect(stdout.trim().split('\n')).toEqual(
    [
      ...['test:full', 'test:upgrade', 'test:interop', 'test:images', 'test:kubernetes', 'test:soak'],
      'bench',
    ].map((name) =>
      expect.stringMatching(
        new RegExp(`^${name} .* min {2}${name === 'test:upgrade' ? 'failed \\(exit code 3\\)' : 'passed'}$`),
      ),
    ),
  )
  expect(status).toBe(1)
})

it('names the missing programs before the first command', () => {
  const { status, stderr } = testNightly(['test:kubernetes', 'test:images'], { programs: ['docker'] })
  expect(stderr.trim().split('\n')).toEqual([
    'signet: test:kubernetes needs go, which is not on the PATH',
    'signet: begins: test:images',
    'signet: begins: test:kubernetes',
  ])
  expect(status).toBe(0)
})

it('refuses a command that it does not know', () => {
  expect(testNightly(['test:moon'])).toMatchObject({ status: 1, stdout: '' })
})
