// @ts-check
// `npm run test:interop`: the tests in *.interop.ts that the programs of this machine can run.
import { ROOT } from './bootstrap.mjs'
import { run, say } from './processes.mjs'
import { findProgram } from './system-packages.mjs'

/** Programs beside Node.js that a quick start, Keycloak, age, a directory, pysaml2 or SoftHSM needs. A test is skipped without its programs. */
export const PROGRAMS = [
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

/**
 * Names the missing programs and runs the tests whose programs are installed. Fails without all of them, because tests did
 * not run.
 * @param {string[]} args for vitest
 * @param {NodeJS.ProcessEnv} env
 */
export async function testInterop(args, env) {
  const installed = PROGRAMS.filter((program) => findProgram({ programs: [program] }, env))
  const missing = PROGRAMS.filter((program) => !installed.includes(program))
  for (const program of missing) say(`the tests that need ${program} do not run, because it is not installed`)
  const { code } = await run('vitest', ['run', '--project', 'tests', '.interop.ts', ...args], {
    cwd: ROOT,
    env: { ...env, SIGNET_TEST_INTEROP: installed.join() },
    ipc: true,
    output: 'inherit',
  })
  return missing.length > 0 ? code || 1 : code
}
