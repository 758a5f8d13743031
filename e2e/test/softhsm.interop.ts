import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startChild } from '@signet/dev-stack/processes/child'
import { childEnvironment, testedProgram } from '@signet/testing/child-environment'
import { freePort } from '@signet/testing/free-port'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

// Master keys that the token of SoftHSM wraps, and pkcs11-tool beside it. `npm run test:interop` runs it where both are
// installed, and names them where they are not.

const programs = process.env.SIGNET_TEST_INTEROP?.split(',') ?? []
const canRun = ['softhsm2-util', 'pkcs11-tool'].every((program) => programs.includes(program))

const run = promisify(execFile)
const PIN = '73910462'
const MODULE =
  [
    '/usr/lib/softhsm/libsofthsm2.so',
    '/usr/lib64/pkcs11/libsofthsm2.so',
    '/usr/local/lib/softhsm/libsofthsm2.so',
  ].find((path) => existsSync(path)) ?? ''

let folder: string
let env: Readonly<Record<string, string>>
beforeAll(async () => {
  if (!canRun) return
  folder = await temporaryFolder('softhsm')
  const tokens = join(folder, 'tokens')
  await mkdir(tokens)
  await writeFile(join(folder, 'softhsm2.conf'), `directories.tokendir = ${tokens}\n`)
  await writeFile(join(folder, 'pin'), `${PIN}\n`)
  env = {
    ...childEnvironment(),
    SOFTHSM2_CONF: join(folder, 'softhsm2.conf'),
    SIGNET_PKCS11_MODULE: MODULE,
    SIGNET_PKCS11_PIN_FILE: join(folder, 'pin'),
  }
  await run('softhsm2-util', ['--init-token', '--free', '--label', 'hsm', '--so-pin', '0000', '--pin', PIN], {
    env,
  })
  for (const label of ['signet-keys', 'signet-keys-2027']) {
    await tool('--keygen', '--key-type', 'AES:32', '--label', label, '--sensitive')
  }
})
afterAll(async () => {
  if (canRun) await rm(folder, { recursive: true })
})

const tool = (...args: string[]) =>
  run('pkcs11-tool', ['--module', MODULE, '--token-label', 'hsm', '--login', '--pin', PIN, ...args], { env })

/** Runs a program of the suite until it ends, or until a line matches. */
async function outcomeOf(
  app: string,
  {
    args = [],
    more = {},
    until,
  }: {
    readonly args?: readonly string[]
    readonly more?: Readonly<Record<string, string>>
    readonly until?: RegExp
  },
) {
  const lines: string[] = []
  const child = await startChild({
    program: testedProgram,
    app,
    args,
    env: { ...env, ...more },
    onOutput: (text) => {
      lines.push(text)
      if (until?.test(text)) child.kill('SIGKILL')
    },
  })
  return { code: await child.ended, text: lines.join('') }
}

const wrap = (key: string, args: readonly string[] = [], more: Readonly<Record<string, string>> = {}) =>
  outcomeOf('cli', { args: ['secrets', 'wrap', '--service', 'keys', '--key', key, ...args], more })

/** Starts the service that holds signing keys, without a database. */
const startKeys = async (entry: string, more: Readonly<Record<string, string>> = {}) =>
  outcomeOf('keys', {
    until: /waiting_for_dependency/,
    more: {
      SIGNET_ISSUER: 'http://localhost:8080',
      SIGNET_POSTGRES_URL: 'postgres://signet_keys@127.0.0.1:1/signet',
      SIGNET_OPERATIONS_PORT: `${await freePort()}`,
      SIGNET_RPC_TOKEN_ADDRESS: '127.0.0.1:1',
      SIGNET_KEYS_MASTER_KEY: entry,
      ...more,
    },
  })

const ENTRY = /^pkcs11:hsm\/signet-keys:[0-9a-f]{16}:[A-Za-z0-9_-]{80}\n$/
const fingerprintIn = (entry: string) => entry.split(':')[2]

describe.runIf(canRun)('a token of SoftHSM', () => {
  it('wraps a new master key, and the service starts with it', async () => {
    const { code, text } = await wrap('pkcs11:hsm/signet-keys')
    expect(text).toMatch(ENTRY)
    expect(code).toBe(0)
    expect((await startKeys(text.trim())).text).toContain('waiting_for_dependency')
  })

  it('wraps the same master key with a new key, while the old entry still opens', async () => {
    const old = (await wrap('pkcs11:hsm/signet-keys')).text.trim()
    await writeFile(join(folder, 'entry'), `${old}\n`)
    const moved = (await wrap('pkcs11:hsm/signet-keys-2027', ['--from', join(folder, 'entry')])).text.trim()
    expect(fingerprintIn(moved)).toBe(fingerprintIn(old))
    expect(moved).toMatch(/^pkcs11:hsm\/signet-keys-2027:/)
    const both = await startKeys(`${moved},${old},${randomBytes(32).toString('base64url')}`)
    expect(both.text).toContain('waiting_for_dependency')
    // Each entry opens with the key of its own label alone.
    const swapped = await startKeys(moved.replace('signet-keys-2027', 'signet-keys'))
    expect(swapped.code).toBe(1)
    expect(swapped.text).toContain('hsm/signet-keys did not open the key: it was wrapped by another key')
  })

  it('refuses an entry of another service, and one that was changed', async () => {
    const entry = (await wrap('pkcs11:hsm/signet-keys')).text.trim()
    const changed = entry.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    await writeFile(join(folder, 'entry'), entry)
    for (const { code, text } of [
      await startKeys(changed),
      await outcomeOf('cli', {
        args: [
          'secrets',
          'wrap',
          '--service',
          'login',
          '--key',
          'pkcs11:hsm/signet-keys',
          '--from',
          join(folder, 'entry'),
        ],
      }),
    ]) {
      expect(code).not.toBe(0)
      expect(text).toContain('wrapped by another key or for another setting')
    }
  })

  it.each([
    {
      what: 'the token is away',
      key: 'pkcs11:other/signet-keys',
      more: {},
      code: 8,
      says: 'shows no token with the label other',
    },
    {
      what: 'the key is absent',
      key: 'pkcs11:hsm/other',
      more: {},
      code: 7,
      says: 'the token hsm has no AES key with the label other',
    },
    {
      what: 'the module is absent',
      key: 'pkcs11:hsm/signet-keys',
      more: { SIGNET_PKCS11_MODULE: '/none.so' },
      code: 7,
      says: 'SIGNET_PKCS11_MODULE: cannot load /none.so',
    },
    {
      what: 'the library is no module',
      key: 'pkcs11:hsm/signet-keys',
      more: { SIGNET_PKCS11_MODULE: 'libc.so.6' },
      code: 7,
      says: 'SIGNET_PKCS11_MODULE: cannot load libc.so.6',
    },
    {
      what: 'the module has no configuration',
      key: 'pkcs11:hsm/signet-keys',
      more: { SOFTHSM2_CONF: '/none' },
      code: 8,
      says: 'SIGNET_PKCS11_MODULE: ',
    },
  ])('is refused when $what', async ({ key, more, code, says }) => {
    const refused = await wrap(key, [], more)
    expect(refused.text).toContain(says)
    expect(refused.code).toBe(code)
  })

  it('enters a wrong PIN once, over all starts, until a login by hand', async () => {
    const entry = (await wrap('pkcs11:hsm/signet-keys')).text.trim()
    const wrong = join(folder, 'wrong-pin')
    await writeFile(wrong, '11112222')
    const withWrong = () => startKeys(entry, { SIGNET_PKCS11_PIN_FILE: wrong })
    const first = await withWrong()
    expect(first.code).toBe(1)
    expect(first.text).toContain('SIGNET_PKCS11_PIN: the token hsm refused the PIN; it is not tried again')
    expect(first.text.trim().split('\n')).toHaveLength(1)
    // An orchestrator starts the process again.
    const second = await withWrong()
    expect(second.text).toContain('SIGNET_PKCS11_PIN was not tried')
    expect((await startKeys(entry)).text).toContain('SIGNET_PKCS11_PIN was not tried')
    await tool('--list-objects')
    const { text } = await startKeys(entry)
    expect(text).toContain('waiting_for_dependency')
    for (const output of [first.text, second.text, text]) {
      expect(output).not.toContain(PIN)
      expect(output).not.toContain('11112222')
    }
  })
})
