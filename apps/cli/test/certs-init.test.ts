import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signet-cli-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function signet(...args: string[]) {
  const child = spawn(process.execPath, ['--conditions=source', main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH },
  })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, out, err }
}

describe('signet certs init', () => {
  it('makes the certificates once, and says so', async () => {
    const out = join(folder, 'certs')
    expect(await signet('certs', 'init', '--out', out, '--days', '7')).toEqual({
      code: 0,
      out: `13 files in ${out}, valid for 7 days\n`,
      err: '',
    })
    expect(await readdir(out)).toContain('introspection.key')
    const again = await signet('certs', 'init', '--out', out)
    expect(again.code).toBe(1)
    expect(again.err).toBe(
      `signet: ${join(out, 'ca.crt')} exists and is not replaced; choose another folder or move it away\n`,
    )
  })

  it.each([
    [['certs', 'init'], '--out: name the folder'],
    [['certs', 'init', '--out', 'x', '--days', '0'], '--days: must be a whole number from 1 to 9999'],
    [['certs', 'init', '--nope'], "Unknown option '--nope'"],
    [['keys', 'list', 'RS256'], 'Unexpected argument'],
    [['keys', 'revoke'], 'name one key; signet keys list shows them'],
    [['cert', 'init'], '"cert init" is not a command; see signet --help'],
  ])('%j is one line and exit code 1', async (args, line) => {
    const { code, err } = await signet(...args)
    expect(code).toBe(1)
    expect(err).toContain(`signet: ${line}`)
    expect(err.trim().split('\n')).toHaveLength(1)
  })

  it('--help shows every command', async () => {
    const { code, out } = await signet('--help')
    expect([code, out]).toEqual([0, expect.stringContaining('signet certs init --out DIR')])
  })
})
