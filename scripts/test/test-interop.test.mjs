import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryFolder } from './temporary-folder.mjs'

const MODULE = fileURLToPath(new URL('../test-interop.mjs', import.meta.url))
const PROGRAM = '#!/bin/sh\n'

/** Runs `npm run test:interop` on a machine that has these programs and a vitest that ends with this code. */
function testInterop(programs, code = 0) {
  const vitest = `#!/bin/sh\necho "$SIGNET_TEST_INTEROP: $*"\nexit ${code}\n`
  const files = Object.fromEntries(programs.map((program) => [`bin/${program}`, PROGRAM]))
  const folder = temporaryFolder({ 'bin/vitest': vitest, ...files })
  const source = `import { testInterop } from ${JSON.stringify(MODULE)}
process.exitCode = await testInterop(['-t', 'go'], { PATH: ${JSON.stringify(`${folder}/bin`)} })`
  const args = ['--input-type=module', '--eval', source]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return { status, stdout, stderr }
}

const ALL = [
  'openssl',
  'python3',
  'go',
  'java',
  'mvn',
  'age',
  'age-keygen',
  'slapd',
  'samba-tool',
  'xmlsec1',
  'softhsm2-util',
  'pkcs11-tool',
]

it('runs the tests with every program and returns the code of the tests', () => {
  expect(testInterop(ALL)).toEqual({
    status: 0,
    stdout: `${ALL.join()}: run --project tests .interop.ts -t go\n`,
    stderr: '',
  })
  expect(testInterop(ALL, 3).status).toBe(3)
})

it('runs the tests of the installed programs, names the missing ones and fails', () => {
  const installed = ALL.filter((program) => program !== 'go' && program !== 'java')
  const { status, stdout, stderr } = testInterop(installed)
  expect(stdout).toContain(`${installed.join()}: run`)
  expect(stderr.trim().split('\n')).toEqual([
    'signet: the tests that need go do not run, because it is not installed',
    'signet: the tests that need java do not run, because it is not installed',
  ])
  expect(status).toBe(1)
})
