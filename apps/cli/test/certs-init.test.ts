import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '@signet/testing/child-environment'
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
    env: childEnvironment(),
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

  it('reports wrong use in one line, with exit code 2', async () => {
    expect(await signet('certs', 'init')).toEqual({
      code: 2,
      out: '',
      err: 'signet: --out: name the folder for the certificates\n',
    })
  })
})
