import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const PROCESSES = fileURLToPath(new URL('../processes.mjs', import.meta.url))

/** A launcher that runs this program as `npm run signet` runs the command line. @param {string} program */
function launch(program) {
  const source = `import { run, stopChildrenWithThisProcess, stopExitCode } from ${JSON.stringify(PROCESSES)}
stopChildrenWithThisProcess({})
const { code } = await run(process.execPath, ['-e', ${JSON.stringify(program)}], { output: 'inherit', terminal: true })
process.exitCode = stopExitCode() ?? code`
  const args = ['--input-type=module', '--eval', source]
  return spawn(process.execPath, args, { detached: true, stdio: ['pipe', 'pipe', 'inherit'] })
}

it('a command on the terminal reads standard input, and its output and code are those of the launcher', async () => {
  const launcher = launch(
    "process.stdin.on('data', (d) => process.stdout.write('read ' + d)).on('end', () => process.exit(7))",
  )
  launcher.stdin.end('typed')
  const [output, [code]] = await Promise.all([text(launcher.stdout), once(launcher, 'exit')])
  expect([output, code]).toEqual(['read typed', 7])
})

it('a command on the terminal stays in the process group of the launcher and stops with it', async () => {
  const launcher = launch('console.log(process.pid); setInterval(() => {}, 1000)')
  const [line] = await once(launcher.stdout, 'data')
  const child = Number(line)
  // The signal reaches the launcher alone.
  process.kill(launcher.pid ?? 0, 'SIGTERM')
  const [code] = await once(launcher, 'exit')
  expect(code).toBe(143)
  expect(() => process.kill(child, 0)).toThrow('ESRCH')
})

it('Ctrl-C of the terminal ends a command on it', async () => {
  const launcher = launch('console.log(process.pid); setInterval(() => {}, 1000)')
  await once(launcher.stdout, 'data')
  process.kill(-(launcher.pid ?? 0), 'SIGINT')
  const [code] = await once(launcher, 'exit')
  expect(code).toBe(130)
})
