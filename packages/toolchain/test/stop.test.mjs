import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder, writeFiles } from './fixtures/repository.mjs'

const LAUNCHER = fileURLToPath(new URL('fixtures/launcher.mjs', import.meta.url))

const manifest = JSON.parse(
  readFileSync(fileURLToPath(new URL('../../../package.json', import.meta.url)), 'utf8'),
)
const SCRIPTS = {
  'package.json replaces the shell': manifest.scripts.start.replace(
    /packages.* start/,
    '"$LAUNCHER" "$DIARY"',
  ),
  'a shell stays in between': 'node "$LAUNCHER" "$DIARY"; exit $?',
}
// A shell that waits for its command keeps this signal to itself, so nobody behind it can learn of it: the reason
// why the scripts of package.json begin with `exec`.
const LOST = { script: SCRIPTS['a shell stays in between'], stop: 'SIGINT to npm' }

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

describe.each(Object.entries(SCRIPTS))('a command that npm runs, when %s', (_, script) => {
  const stops = Object.entries(STOPS).filter(([name]) => script !== LOST.script || name !== LOST.stop)
  it.each(stops)('leaves no process behind after %s, and its child stops once', async (name, stop) => {
    const folder = temporaryFolder('stop')
    const diary = join(folder, 'diary')
    writeFiles(folder, { 'package.json': JSON.stringify({ private: true, scripts: { dummy: script } }) })
    const npm = spawn('npm', ['run', 'dummy'], {
      cwd: folder,
      detached: true,
      env: { ...process.env, LAUNCHER, DIARY: diary },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => {
      for (const line of processesWith(diary)) process.kill(Number.parseInt(line, 10), 'SIGKILL')
    })
    const launcher = await new Promise((resolve) => {
      createInterface(npm.stdout).on('line', (line) => {
        if (line.startsWith('pids ')) resolve(Number(line.split(' ')[1]))
      })
    })
    const ended = once(npm, 'exit')
    stop({ npm: npm.pid ?? 0, launcher })
    const [code] = await ended
    await expect.poll(() => processesWith(diary), { timeout: 10_000, interval: 100 }).toEqual([])
    // The child ended well; npm says so unless a shell stands in between or npm died of the signal itself.
    if (!/SIGKILL|SIGHUP/.test(name) && script !== LOST.script) expect(code).toBe(0)
    expect(existsSync(diary) && readFileSync(diary, 'utf8')).toBe('stopped\n')
  })
})
