// `npm start`, `npm run dev`, `npm test`, `npm run check` …: prepares the checkout, then does what was asked.
// Runs on any Node.js from 18 on with nothing installed; everything after the preparation runs on the pinned one.
import { bench } from './bench.mjs'
import { dev } from './dev.mjs'
import { example } from './example.mjs'
import { Problem, say } from './project.mjs'
import { start } from './start.mjs'
import { stopExitCode, superviseChildren } from './supervise.mjs'
import { check, test } from './test.mjs'
import { testImages } from './test-images.mjs'

/** @type {Record<string, (args: string[]) => Promise<number>>} */
const COMMANDS = {
  start,
  dev,
  example,
  bench,
  check,
  test: (args) => test('small', args),
  'test:soak': (args) => test('soak', args),
  'test:images': testImages,
}

const [name = '', ...args] = process.argv.slice(2)
const command = COMMANDS[name]
if (command === undefined) {
  say(`"${name}" is not one of ${Object.keys(COMMANDS).join(', ')}`)
  process.exit(1)
}
superviseChildren()
try {
  process.exitCode = await command(args)
} catch (error) {
  process.exitCode = stopExitCode() ?? 1
  if (stopExitCode() === undefined) say(describe(error))
}

/** @param {unknown} error */
function describe(error) {
  if (error instanceof Problem) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
