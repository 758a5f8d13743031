import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
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
      out: `15 files in ${out}, valid for 7 days\n`,
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

describe('signet redis-acl', () => {
  const users = ['signet_login', 'signet_token', 'signet_introspection', 'signet_migration']

  it('prints a command for each user, without a password unless it is given one', async () => {
    const { code, out } = await signet('redis-acl')
    expect(code).toBe(0)
    const lines = out.trimEnd().split('\n')
    expect(lines.map((line) => line.split(' ').slice(0, 5))).toEqual(
      users.map((user) => ['ACL', 'SETUSER', user, 'reset', 'on']),
    )
    expect(out).not.toMatch(/ [#>]| nopass|allkeys|~\* /)
    expect(lines[2]).toContain(' %R~signet:endings ')
  })

  it('prints the file of an ACL with the hashes of the passwords in a folder', async () => {
    for (const user of users) await writeFile(join(folder, user.replace('signet_', '')), `a-password\n`)
    const { code, out } = await signet('redis-acl', '--acl-file', '--passwords', folder)
    expect(code).toBe(0)
    // echo -n a-password | sha256sum
    const hash = 'e9fad6b0fee5a53813e888b6a3c63a843395ab112b51495a30c1b00a0e5f89e0'
    for (const line of out.trimEnd().split('\n')) expect(line).toContain(` on #${hash}`)
    expect(out).not.toContain('a-password')
  })

  it('names the file that is missing', async () => {
    const { code, err } = await signet('redis-acl', '--passwords', join(folder, 'none'))
    expect(code).toBe(2)
    expect(err).toContain(`--passwords: cannot read ${join(folder, 'none', 'login')} (ENOENT)`)
  })
})
