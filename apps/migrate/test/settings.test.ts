import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '@signet/testing/child-environment'
import { describe, expect, it } from 'vitest'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const PASSWORDS = ['LOGIN', 'TOKEN', 'INTROSPECTION', 'KEYS', 'DIRECTORY', 'MIGRATION', 'FEDERATION'].map(
  (role) => `SIGNET_POSTGRES_${role}_PASSWORD`,
)

async function migrate(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...childEnvironment(), ...env },
  })
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  return { code, lines: err.trim().split('\n') }
}

describe('migrate', () => {
  it('names every missing password', async () => {
    expect(await migrate({})).toEqual({
      code: 1,
      lines: PASSWORDS.map((name) => `migrate: ${name}: is required`),
    })
  })

  it('reports a database that does not respond in one line', async () => {
    const passwords = Object.fromEntries(PASSWORDS.map((name) => [name, 'x']))
    expect(
      await migrate({ ...passwords, SIGNET_POSTGRES_DIRECT_URL: 'postgres://u:hush@127.0.0.1:1/db' }),
    ).toEqual({
      code: 1,
      lines: [expect.stringMatching(/^migrate: PostgreSQL at 127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED/)],
    })
  })

  it('a bootstrap file needs the key that seals its secrets', async () => {
    const passwords = Object.fromEntries(PASSWORDS.map((name) => [name, 'x']))
    const env = {
      ...passwords,
      SIGNET_POSTGRES_URL: 'postgres://127.0.0.1:1/db',
      SIGNET_BOOTSTRAP_FILE: 'x.yaml',
    }
    expect(await migrate(env)).toEqual({
      code: 1,
      lines: ['migrate: SIGNET_DIRECTORY_MASTER_KEY: is required with SIGNET_BOOTSTRAP_FILE'],
    })
  })
})
