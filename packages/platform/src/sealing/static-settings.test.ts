import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { staticSecretSettings } from './static-settings.ts'

const KEY = 'A'.repeat(43)
const WRAPPED = 'vault-transit:transit/signet:0123456789abcdef:vault:v1:text'

it.each<[what: string, env: Record<string, string>, names: readonly string[]]>([
  ['a password', { SIGNET_REDIS_PASSWORD: 'text' }, ['SIGNET_REDIS_PASSWORD']],
  ['an empty one', { SIGNET_REDIS_PASSWORD: '' }, []],
  ['a setting that is no secret', { SIGNET_ISSUER: 'https://id.example.com' }, []],
  ['a URL with a password', { SIGNET_SMTP_URL: 'smtps://user:text@smtp.example.com' }, ['SIGNET_SMTP_URL']],
  ['a URL whose password stands elsewhere', { SIGNET_REDIS_URL: 'rediss://user:@redis.example.com' }, []],
  ['a URL without a user', { SIGNET_POSTGRES_URL: 'postgres://postgres.example.com:5432/signet' }, []],
  ['a path with a colon', { SIGNET_REDIS_URL: 'rediss://redis:6379?ca=/a:b@c' }, []],
  ['a master key', { SIGNET_KEYS_MASTER_KEY: KEY }, ['SIGNET_KEYS_MASTER_KEY']],
  ['a wrapped master key', { SIGNET_KEYS_MASTER_KEY: WRAPPED }, []],
  ['one of both', { SIGNET_KEYS_MASTER_KEY: `${WRAPPED}, ${KEY}` }, ['SIGNET_KEYS_MASTER_KEY']],
])('names the setting of %s', (_what, env, names) => {
  expect(staticSecretSettings(env)).toEqual(names)
})

it('names the setting whose secret is in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signet-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'password')
  writeFileSync(file, 'text\n')
  expect(staticSecretSettings({ SIGNET_POSTGRES_PASSWORD_FILE: file })).toEqual(['SIGNET_POSTGRES_PASSWORD'])
})
