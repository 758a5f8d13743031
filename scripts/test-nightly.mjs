// @ts-check
// `npm run test:nightly`: every command that tests what `npm test` does not, one after the other, and a table of their results.
import { join } from 'node:path'
import { ROOT } from './bootstrap.mjs'
import { run, say, stopExitCode } from './processes.mjs'
import { findProgram } from './system-packages.mjs'
import { PROGRAMS } from './test-interop.mjs'

/** The commands by name, with the programs that each needs besides Node.js. @type {Record<string, string[]>} */
const COMMANDS = {
  'test:full': [],
  'test:upgrade': ['git'],
  'test:interop': PROGRAMS,
  'test:images': ['docker'],
  'test:kubernetes': ['go'],
  'test:soak': [],
  'bench -- --check': [],
}

/**
 * Names the missing programs of all commands, runs each command and prints what it returned. Returns 1 when one failed.
 * @param {string[]} names of the commands, all without any
 * @param {(command: string[]) => Promise<{ code: number }>} runCommand
 */
export async function testNightly(names, runCommand = runScript, env = process.env) {
  const unknown = names.filter((name) => COMMANDS[name] === undefined)
  if (unknown.length > 0) {
    say(`test:nightly knows ${Object.keys(COMMANDS).join(', ')}, not ${unknown.join(', ')}`)
    return 1
  }
  const wanted = Object.entries(COMMANDS).filter(([name]) => names.length === 0 || names.includes(name))
  for (const [name, programs] of wanted) {
    const missing = programs.filter((program) => findProgram({ programs: [program] }, env) === undefined)
    if (missing.length > 0) say(`${name} needs ${missing.join(', ')}, which is not on the PATH`)
  }
  const rows = []
  for (const [name] of wanted) {
    if (stopExitCode() !== undefined) break
    say(`begins: ${name}`)
    const startedAt = performance.now()
    const { code } = await runCommand(name.split(' -- ').flatMap((part) => part.split(' ')))
    rows.push({ name, code, minutes: (performance.now() - startedAt) / 60_000 })
  }
  for (const { name, code, minutes } of rows) {
    const result = code === 0 ? 'passed' : `failed (exit code ${code})`
    process.stdout.write(`${name.padEnd(18)} ${minutes.toFixed(1).padStart(6)} min  ${result}\n`)
  }
  return stopExitCode() ?? (rows.every(({ code }) => code === 0) ? 0 : 1)
}

/** @param {string[]} command */
const runScript = (command) =>
  run(process.execPath, [join(ROOT, 'scripts', 'run.mjs'), ...command], {
    cwd: ROOT,
    ipc: true,
    output: 'inherit',
  })
