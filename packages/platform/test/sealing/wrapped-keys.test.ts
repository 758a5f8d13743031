import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { readSettings } from '../../src/config/settings.ts'
import { StartFailure } from '../../src/process/service.ts'
import { fingerprintOf } from '../../src/sealing/fingerprint.ts'
import { createVaultTransit } from '../../src/sealing/vault-transit.ts'
import { readWrappingKey, unwrapMasterKeys, wrapMasterKey } from '../../src/sealing/wrapped-keys.ts'
import { startTransitServer } from './transit-server.ts'

const SETTING = 'SIGNET_KEYS_MASTER_KEY'
const KEY = { kind: 'vault-transit', key: 'transit/signet-keys' } as const
const LOGIN_KEY = { kind: 'vault-transit', key: 'transit/signet-login' } as const
const server = await startTransitServer()
const { state } = server
const vault = { SIGNET_VAULT_URL: server.url, SIGNET_VAULT_TOKEN: state.token }
const masterKey = randomBytes(32)
const older = randomBytes(32)

beforeEach(() => {
  Object.assign(state, { leastVersion: 1, instead: () => false, calls: [] })
})
afterAll(() => server.stop())

const unwrap = (entries: string, more: Record<string, string> = {}) =>
  unwrapMasterKeys({ ...vault, [SETTING]: entries, ...more })
const failureOf = async (entries: string, more: Record<string, string> = {}) => {
  const error = await unwrap(entries, more).catch((cause: unknown) => cause)
  if (!(error instanceof Error)) throw new Error('the key was unwrapped')
  return error
}

describe('unwrapMasterKeys', () => {
  it('gives readSettings the keys of wrapped entries, in the order of the list, beside keys that are not wrapped', async () => {
    const entry = await wrapMasterKey(vault, SETTING, KEY, masterKey)
    expect(entry).toMatch(
      new RegExp(`^vault-transit:transit/signet-keys:${fingerprintOf(masterKey)}:vault:v1:[A-Za-z0-9+/=]+$`),
    )
    const env = await unwrap(`${entry}, ${older.toString('base64url')}`)
    expect(readSettings(env, [SETTING])[SETTING].reveal()).toEqual([masterKey, older])
  })

  it('reads the list and the token from their files', async () => {
    const folder = await temporaryFolder('wrapped-keys')
    const files = { list: join(folder, 'keys'), token: join(folder, 'token') }
    writeFileSync(files.list, `${await wrapMasterKey(vault, SETTING, KEY, masterKey)}\n`)
    writeFileSync(files.token, `${state.token}\n`)
    const env = await unwrapMasterKeys({
      SIGNET_VAULT_URL: server.url,
      SIGNET_VAULT_TOKEN_FILE: files.token,
      [`${SETTING}_FILE`]: files.list,
    })
    expect(readSettings(env, [SETTING])[SETTING].reveal()).toEqual([masterKey])
  })

  it('calls nothing and changes nothing without wrapped keys', async () => {
    const env = { [SETTING]: older.toString('base64url'), SIGNET_LOG_LEVEL: 'info' }
    expect(await unwrapMasterKeys(env)).toBe(env)
    expect(state.calls).toEqual([])
  })

  it('opens keys of older versions of the wrapping key until the server refuses them', async () => {
    const entry = await wrapMasterKey(vault, SETTING, KEY, masterKey)
    server.rotate('signet-keys')
    const env = await unwrap(entry)
    expect(readSettings(env, [SETTING])[SETTING].reveal()).toEqual([masterKey])
    expect(await wrapMasterKey(vault, SETTING, KEY, masterKey)).toContain(':vault:v2:')
    state.leastVersion = 2
    expect((await failureOf(entry)).message).toContain('its version is below min_decryption_version')
  })

  it('refuses an entry of another service, under another key, or with another fingerprint', async () => {
    const entry = await wrapMasterKey(vault, 'SIGNET_LOGIN_MASTER_KEY', LOGIN_KEY, masterKey)
    const own = await wrapMasterKey(vault, SETTING, KEY, masterKey)
    for (const moved of [
      entry,
      own.replace('signet-keys', 'signet-login'),
      own.replace(fingerprintOf(masterKey), fingerprintOf(older)),
    ]) {
      const error = await failureOf(moved)
      expect(error).toBeInstanceOf(StartFailure)
      expect(error.message).toContain('SIGNET_KEYS_MASTER_KEY: cannot unwrap the key')
      expect(error.message).toContain('wrapped by another key or for another setting')
    }
  })

  it.each([
    { of: 'another key', plaintext: older.toString('base64') },
    { of: 'a short key', plaintext: masterKey.subarray(1).toString('base64') },
  ])('refuses $of in the answer of the server', async ({ plaintext }) => {
    const entry = await wrapMasterKey(vault, SETTING, KEY, masterKey)
    state.instead = (_, res) => Boolean(res.end(JSON.stringify({ data: { plaintext } })))
    const { message } = await failureOf(entry)
    expect(message).toContain(`returned another key than ${fingerprintOf(masterKey)}`)
    expect(message).not.toContain(plaintext)
  })

  it('names what is missing: the address and the token', async () => {
    const entry = await wrapMasterKey(vault, SETTING, KEY, masterKey)
    await expect(unwrapMasterKeys({ [SETTING]: entry })).rejects.toMatchObject({
      problems: ['SIGNET_VAULT_URL: is required', 'SIGNET_VAULT_TOKEN: is required'],
    })
    const remote = { ...vault, SIGNET_VAULT_URL: 'http://vault.example.com:8200' }
    expect((await failureOf(entry, remote)).message).toContain('SIGNET_VAULT_URL: must be an origin')
  })

  it.each([
    { status: 307, says: 'answered with a redirect (status 307)' },
    { status: 403, says: 'does not permit update on transit/decrypt/signet-keys' },
    { status: 404, says: 'has no transit/decrypt/signet-keys' },
    { status: 429, says: 'cannot answer now' },
    { status: 503, says: 'it is sealed, starting or overloaded (status 503)' },
    { status: 204, says: 'gave no usable answer for transit/decrypt/signet-keys' },
    { status: 200, says: 'it is not the transit engine' },
  ])('refuses the start at status $status without a word of the answer', async ({ status, says }) => {
    const entry = await wrapMasterKey(vault, SETTING, KEY, masterKey)
    state.calls = []
    state.instead = ({ headers, body }, res) => {
      res.writeHead(status, { Location: `${server.url}/v1/transit/decrypt/signet-login` })
      return Boolean(
        res.end(status === 204 ? undefined : `${JSON.stringify({ headers, body })} secret words`),
      )
    }
    const { message } = await failureOf(entry)
    expect(message).toContain(says)
    for (const hidden of [state.token, 'secret words', entry.split(':').at(-1) ?? '']) {
      expect(message).not.toContain(hidden)
    }
    expect(state.calls).toHaveLength(1)
  })

  it('refuses the start when no server listens, and when it does not answer in time', async () => {
    const entry = await wrapMasterKey(vault, SETTING, KEY, masterKey)
    const error = await failureOf(entry, { SIGNET_VAULT_URL: 'http://127.0.0.1:1' })
    expect(error.message).toContain('SIGNET_VAULT_URL gave no answer')
    state.instead = () => true
    const slow = createVaultTransit(vault, 200).unwrap(KEY.key, 'vault:v1:AAAA', 'a purpose')
    await expect(slow).rejects.toMatchObject({ isAway: true })
  })

  it('sends the namespace, and never a token that is no header', async () => {
    await wrapMasterKey({ ...vault, SIGNET_VAULT_NAMESPACE: 'team/signet' }, SETTING, KEY, masterKey)
    expect(state.calls[0]?.headers['x-vault-namespace']).toBe('team/signet')
    const entry = await wrapMasterKey(vault, SETTING, KEY, masterKey)
    const { message } = await failureOf(entry, { SIGNET_VAULT_TOKEN: 'two\nlines' })
    expect(message).toBe('SIGNET_VAULT_TOKEN: must be one line of visible ASCII characters')
  })
})

describe('an entry of PKCS #11', () => {
  const entry = `pkcs11:hsm/signet-keys:${fingerprintOf(masterKey)}:${'A'.repeat(80)}`

  it('is the one that names the module and the PIN as missing', async () => {
    await expect(unwrap(entry)).rejects.toMatchObject({
      problems: ['SIGNET_PKCS11_MODULE: is required', 'SIGNET_PKCS11_PIN: is required'],
    })
    expect(readWrappingKey('pkcs11:hsm/signet-keys')).toEqual({ kind: 'pkcs11', key: 'hsm/signet-keys' })
  })

  it('refuses the start without its module, and with a file that is none', async () => {
    for (const module of ['/none/module.so', import.meta.filename]) {
      const error = await failureOf(entry, {
        SIGNET_PKCS11_MODULE: module,
        SIGNET_PKCS11_PIN: 'a-hidden-pin',
      })
      expect(error).toBeInstanceOf(StartFailure)
      expect(error.message).toContain(`${SETTING}: cannot unwrap the key ${fingerprintOf(masterKey)}`)
      expect(error.message).toContain(`SIGNET_PKCS11_MODULE: cannot load ${module}: `)
      expect(error.message).not.toContain('a-hidden-pin')
    }
  })
})

it.each([
  'transit',
  'vault-transit:transit',
  'other:transit/a',
  'vault-transit:a/../b',
  'vault-transit:a/b?c',
  'vault-transit:a//b',
  'pkcs11:signet-keys',
  'pkcs11:hsm/a b',
])('does not take %s for a wrapping key', (text) => {
  expect(readWrappingKey(text)).toBeUndefined()
})
