import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from './temporary-folder.mjs'

const LAUNCHER = fileURLToPath(new URL('launcher.mjs', import.meta.url))
const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
/** `npm start` with the launcher of this test in the place of run.mjs. */
const SCRIPT = scripts.start.replace('scripts/run.mjs start', '"$LAUNCHER" "$STOP_LOG"')

/** @type {Record<string, (pids: { npm: number, launcher: number }) => void>} */
const STOPS = {
  'SIGTERM to npm': ({ npm }) => process.kill(npm, 'SIGTERM'),
  'SIGINT to npm': ({ npm }) => process.kill(npm, 'SIGINT'),
  'SIGKILL of npm': ({ npm }) => process.kill(npm, 'SIGKILL'),
  'Ctrl-C, which reaches the whole process group': ({ npm }) => process.kill(-npm, 'SIGINT'),
  'SIGTERM to the process group': ({ npm }) => process.kill(-npm, 'SIGTERM'),
  'SIGKILL of the process group': ({ npm }) => process.kill(-npm, 'SIGKILL'),
  'SIGTERM to the launcher': ({ launcher }) => process.kill(launcher, 'SIGTERM'),
  'SIGKILL of the launcher': ({ launcher }) => process.kill(launcher, 'SIGKILL'),
  'SIGHUP of the terminal': ({ npm }) => process.kill(-npm, 'SIGHUP'),
}

/** @param {string} text */
function processesWith(text) {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,stat=,args='], { encoding: 'utf8' })
  return stdout.split('\n').filter((line) => line.includes(text) && !/^\s*\d+\s+Z/.test(line))
}

describe('a command that npm runs', () => {
  it.each(Object.entries(STOPS))(
    'stops its child once and leaves no process after %s',
    async (name, stop) => {
      const folder = temporaryFolder({
        'package.json': JSON.stringify({ private: true, scripts: { dummy: SCRIPT } }),
      })
      const stopLog = join(folder, 'stop-log')
      const npm = spawn('npm', ['run', 'dummy'], {
        cwd: folder,
        detached: true,
        env: { ...process.env, LAUNCHER, STOP_LOG: stopLog },
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      onTestFinished(() => {
        for (const line of processesWith(stopLog)) process.kill(Number.parseInt(line, 10), 'SIGKILL')
      })
      const launcher = await new Promise((resolve) => {
        createInterface(npm.stdout).on('line', (line) => {
          if (line.startsWith('pids ')) resolve(Number(line.split(' ')[1]))
        })
      })
      const ended = once(npm, 'exit')
      stop({ npm: npm.pid ?? 0, launcher })
      const [code] = await ended
      await expect.poll(() => processesWith(stopLog), { timeout: 10_000, interval: 100 }).toEqual([])
      // npm exits with the code of the child unless the signal ended npm itself.
      if (!/SIGKILL|SIGHUP/.test(name)) expect(code).toBe(0)
      expect(existsSync(stopLog) && readFileSync(stopLog, 'utf8')).toBe('stopped\n')
    },
  )
})

it('removes what a stopped command made, and starts nothing else', async () => {
  const folder = temporaryFolder()
  const processes = fileURLToPath(new URL('../processes.mjs', import.meta.url))
  const source = `import { run, stopChildrenWithThisProcess } from ${JSON.stringify(processes)}
stopChildrenWithThisProcess()
console.log('begins')
await run('sleep', ['60'])
await run('touch', ['more']).catch((error) => console.log(error.message))
await run('touch', ['removed'], { afterStop: true })`
  const command = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface(command.stdout)
  await once(lines, 'line')
  const said = once(lines, 'line')
  command.kill('SIGINT')
  expect(await said).toEqual(['stopped'])
  await once(command, 'exit')
  expect([existsSync(join(folder, 'more')), existsSync(join(folder, 'removed'))]).toEqual([false, true])
})
