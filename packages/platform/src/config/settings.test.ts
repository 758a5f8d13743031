import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { SETTINGS } from './known-settings.ts'
import { ConfigurationError, type Environment, readSettings, type SettingName } from './settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'signet-settings-'))
afterAll(() => rmSync(folder, { recursive: true }))

const masterKey = (byte: number) => Buffer.alloc(32, byte).toString('base64url')
const allNames = Object.keys(SETTINGS) as SettingName[]

function problemsOf(
  env: Environment,
  names: readonly SettingName[] = [],
  optional: readonly SettingName[] = [],
) {
  try {
    readSettings(env, names, optional)
    return []
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems
    throw error
  }
}

describe('settings', () => {
  it('reads the requested settings, with their defaults', () => {
    const settings = readSettings(
      { SIGNET_ISSUER: 'https://id.example.com', SIGNET_PORT: '', SIGNET_POSTGRES_NAMED_STATEMENTS: 'off' },
      ['SIGNET_ISSUER', 'SIGNET_PORT', 'SIGNET_POSTGRES_NAMED_STATEMENTS', 'SIGNET_LOG_LEVEL'],
      ['SIGNET_REDIS_URL'],
    )
    expect(settings.SIGNET_ISSUER).toBe('https://id.example.com')
    expect(settings.SIGNET_PORT).toBe(8080)
    expect(settings.SIGNET_POSTGRES_NAMED_STATEMENTS).toBe(false)
    expect(settings.SIGNET_LOG_LEVEL).toBe('info')
    expect(settings.SIGNET_REDIS_URL).toBeUndefined()
  })

  it('reports every problem at once', () => {
    const problems = problemsOf(
      { SIGNET_ISSUER: 'id.example.com', SIGNET_PORT: '99999', SIGNET_ISUER: 'x', SIGNET_PIGEON: 'x' },
      ['SIGNET_ISSUER', 'SIGNET_PORT', 'SIGNET_REDIS_URL'],
    )
    expect(problems).toHaveLength(5)
    expect(problems).toContainEqual(expect.stringMatching(/^SIGNET_ISSUER: must be an origin/))
    expect(problems).toContain('SIGNET_PORT: must be a whole number from 1 to 65535')
    expect(problems).toContain('SIGNET_REDIS_URL: is required')
    expect(problems).toContain('SIGNET_ISUER: is not a setting; did you mean SIGNET_ISSUER?')
    expect(problems).toContain('SIGNET_PIGEON: is not a setting; remove it')
  })

  it('ignores the settings of other services and of the test harness, with any value', () => {
    expect(problemsOf({ SIGNET_REDIS_URL: 'not a url', SIGNET_TEST_POSTGRES_URL: 'x' })).toEqual([])
  })

  it('skips the service links that Kubernetes injects, also under the name of a setting', () => {
    const links = {
      SIGNET_TOKEN_SERVICE_HOST: '10.0.0.7',
      SIGNET_TOKEN_SERVICE_PORT: '80',
      SIGNET_TOKEN_SERVICE_PORT_HTTP: '80',
      SIGNET_TOKEN_PORT: 'tcp://10.0.0.7:80',
      SIGNET_TOKEN_PORT_80_TCP: 'tcp://10.0.0.7:80',
      SIGNET_TOKEN_PORT_80_TCP_PROTO: 'tcp',
      SIGNET_TOKEN_PORT_80_TCP_PORT: '80',
      SIGNET_TOKEN_PORT_80_TCP_ADDR: '10.0.0.7',
      SIGNET_SERVICE_HOST: '10.0.0.8',
      SIGNET_PORT: 'tcp://10.0.0.8:80',
    }
    expect(readSettings(links, ['SIGNET_PORT']).SIGNET_PORT).toBe(8080)
    expect(problemsOf({ SIGNET_TOKEN_PORT: '80' })).toEqual([
      'SIGNET_TOKEN_PORT: is not a setting; remove it',
    ])
  })

  it.each([
    'https://id.example.com',
    'https://id.example.com:8443',
    'http://localhost:8080',
    'http://127.0.0.1',
    'http://[::1]:8080',
    'http://id.localhost',
  ])('accepts the issuer %s', (issuer) => {
    expect(problemsOf({ SIGNET_ISSUER: issuer }, ['SIGNET_ISSUER'])).toEqual([])
  })

  it.each([
    'http://id.example.com',
    'http://localhost.example.com',
    'http://128.0.0.1',
    'https://id.example.com/',
    'https://id.example.com/path',
    'https://id.example.com?x=1',
    'https://id.example.com#x',
    'https://user@id.example.com',
    'https://ID.example.com',
    'https://id.example.com:443',
    'ftp://localhost',
    'localhost:8080',
  ])('OIDC Discovery section 3: refuses the issuer %s', (issuer) => {
    expect(problemsOf({ SIGNET_ISSUER: issuer }, ['SIGNET_ISSUER'])).toHaveLength(1)
  })

  it('reads master keys newest first and refuses anything but 32 bytes each', () => {
    const env = { SIGNET_KEYS_MASTER_KEY: `${masterKey(1)}, ${masterKey(2)}` }
    const keys = readSettings(env, ['SIGNET_KEYS_MASTER_KEY']).SIGNET_KEYS_MASTER_KEY.reveal()
    expect(keys).toEqual([Buffer.alloc(32, 1), Buffer.alloc(32, 2)])
    for (const bad of [',', 'short', `${masterKey(1)}A`, `${masterKey(1)},${masterKey(2).slice(1)}`]) {
      expect(problemsOf({ SIGNET_KEYS_MASTER_KEY: bad }, ['SIGNET_KEYS_MASTER_KEY'])).toHaveLength(1)
    }
  })

  it('reads networks of both families', () => {
    const env = { SIGNET_TRUSTED_PROXIES: '10.0.0.0/8, 192.168.1.1, fd00::/8' }
    const networks = readSettings(env, ['SIGNET_TRUSTED_PROXIES']).SIGNET_TRUSTED_PROXIES
    expect(['10.255.0.1', '192.168.1.1', '192.168.1.2', '11.0.0.1'].map((ip) => networks.check(ip))).toEqual([
      true,
      true,
      false,
      false,
    ])
    expect(networks.check('fd12::1', 'ipv6')).toBe(true)
    for (const bad of [
      '10.0.0.0/33',
      '10.0.0.0/',
      '10.0.0/8',
      'proxy.example',
      '::/129',
      '10.0.0.0/8/8',
      '10.0.0.0/-1',
    ]) {
      expect(problemsOf({ SIGNET_TRUSTED_PROXIES: bad }, ['SIGNET_TRUSTED_PROXIES'])).toHaveLength(1)
    }
  })

  it('takes a secret from the file that NAME_FILE names, without its last line break', () => {
    const file = join(folder, 'redis-url')
    writeFileSync(file, 'redis://:hush@localhost:6379\n')
    const { SIGNET_REDIS_URL } = readSettings({ SIGNET_REDIS_URL_FILE: file }, ['SIGNET_REDIS_URL'])
    expect(SIGNET_REDIS_URL.reveal()).toBe('redis://:hush@localhost:6379')
    expect(
      problemsOf({ SIGNET_REDIS_URL_FILE: file, SIGNET_REDIS_URL: 'redis://x' }, ['SIGNET_REDIS_URL']),
    ).toEqual(['SIGNET_REDIS_URL: is given twice, also as SIGNET_REDIS_URL_FILE; keep one'])
    expect(problemsOf({ SIGNET_REDIS_URL_FILE: join(folder, 'absent') }, ['SIGNET_REDIS_URL'])).toEqual([
      'SIGNET_REDIS_URL: cannot read the file that SIGNET_REDIS_URL_FILE names (ENOENT)',
    ])
    expect(problemsOf({ SIGNET_ISSUER_FILE: file })).toHaveLength(1)
  })

  it('prints no secret, neither a good one nor a bad one', () => {
    const url = readSettings({ SIGNET_REDIS_URL: 'redis://:hush@localhost' }, ['SIGNET_REDIS_URL'])
    const keys = readSettings({ SIGNET_KEYS_MASTER_KEY: masterKey(7) }, ['SIGNET_KEYS_MASTER_KEY'])
    const printed = [url, keys]
      .flatMap((value) => [inspect(value, { depth: 9, showHidden: true }), JSON.stringify(value)])
      .join()
    expect(printed).not.toContain('hush')
    expect(printed).not.toContain(masterKey(7))
    expect(printed).not.toMatch(/Buffer|07 07/)
    expect(`${url.SIGNET_REDIS_URL}`).toBe('[secret]')
    expect(problemsOf({ SIGNET_KEYS_MASTER_KEY: 'hush' }, ['SIGNET_KEYS_MASTER_KEY']).join()).not.toContain(
      'hush',
    )
  })

  it('no value of any setting breaks reading: it is accepted or becomes a problem', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...allNames),
        fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.ipV6()),
        (name, value) => {
          expect(problemsOf({ [name]: value }, [], [name]).length).toBeLessThanOrEqual(1)
        },
      ),
    )
  })

  it('describes every setting in a sentence', () => {
    for (const name of allNames) expect(SETTINGS[name].description, name).toMatch(/^[A-Z`].+\.$/)
  })
})
