import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

it('ends without an error when the reader of its output closes the pipe', () => {
  const script = `"${process.execPath}" "${MAIN}" completion bash | true; echo "\${PIPESTATUS[0]}"`
  const out = execFileSync('bash', ['--norc', '-c', `${script} 2>&1`], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  })
  expect(out).toBe('0\n')
})
