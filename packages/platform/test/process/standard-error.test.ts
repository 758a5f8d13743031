import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const fixture = fileURLToPath(new URL('./fixtures/last-words.ts', import.meta.url))

it('a process that logs and exits in the same turn has written every line, in order', async () => {
  const { stderr } = await promisify(execFile)(process.execPath, [fixture], {
    env: { ...process.env, NODE_OPTIONS: '', NODE_NO_WARNINGS: '1' },
  })
  const counts = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).count)
  expect(counts).toEqual(Array.from({ length: 4_000 }, (_, n) => n))
})
