import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

// A warning on standard error is no log line.
const env = { ...process.env, NODE_OPTIONS: '', NODE_NO_WARNINGS: '1' }
const fixture = fileURLToPath(new URL('./fixtures/last-words.ts', import.meta.url))

it('a process that logs and exits in the same turn has written every line, in order', async () => {
  const { stderr } = await promisify(execFile)(process.execPath, [fixture, '4000'], { env })
  const counts = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).count)
  expect(counts).toEqual(Array.from({ length: 4_000 }, (_, n) => n))
})

it.each([2, 4_000])('a process ends although nothing reads its last %i lines', async (lines) => {
  const child = spawn(process.execPath, [fixture, String(lines)], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  child.stderr.destroy()
  const [code, signal] = await once(child, 'exit', { signal: AbortSignal.timeout(20_000) }).finally(() =>
    child.kill('SIGKILL'),
  )
  expect({ code, signal }).toEqual({ code: 0, signal: null })
})
