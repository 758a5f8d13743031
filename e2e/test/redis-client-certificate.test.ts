import { execFileSync } from 'node:child_process'
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Secret } from '@signet/platform/config/settings-fields'
import { createRedis } from '@signet/platform/redis/client'
import { childEnvironment } from '@signet/testing/child-environment'
import { freePort } from '@signet/testing/free-port'
import { type RedisProcess, startRedisProcess } from '@signet/testing/redis-process'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { afterAll, beforeAll, expect, it } from 'vitest'

// Redis that asks each client for a certificate (tls-auth-clients).

const CLI = fileURLToPath(new URL('../../apps/cli/src/main.ts', import.meta.url))
const opened = new AsyncDisposableStack()
let folder: string
let server: RedisProcess
let port: number

beforeAll(async () => {
  folder = await temporaryFolder('redis-client-certificate')
  opened.defer(() => rm(folder, { recursive: true }))
  for (const authority of ['own', 'other'])
    execFileSync(
      process.execPath,
      ['--conditions=source', CLI, 'certs', 'init', '--out', join(folder, authority)],
      {
        env: childEnvironment(),
      },
    )
  port = await freePort()
  server = await startRedisProcess([
    ...['--tls-port', `${port}`, '--tls-auth-clients', 'yes', '--tls-ca-cert-file', inFolder('own/ca.crt')],
    ...['--tls-cert-file', inFolder('own/keys.crt'), '--tls-key-file', inFolder('own/keys.key')],
  ])
  opened.defer(() => server.drop())
}, 120_000)
afterAll(() => opened.disposeAsync())

const inFolder = (name: string) => join(folder, name)
const present = (authority: string) =>
  Promise.all(
    ['crt', 'key'].map((end) => copyFile(inFolder(`${authority}/token.${end}`), inFolder(`tls.${end}`))),
  )

function connect(query: string) {
  const url = `rediss://localhost:${port}?ca=${inFolder('own/ca.crt')}${query}`
  const redis = createRedis({ url: new Secret(url), name: 'test' })
  redis.on('error', () => undefined)
  opened.defer(() => redis.disconnect())
  return redis
}
const files = () => `&cert=${inFolder('tls.crt')}&key=${inFolder('tls.key')}`

it('presents the certificate of its files', async () => {
  await present('own')
  const redis = connect(files())
  await redis.connect()
  expect(await redis.ping()).toBe('PONG')
})

it('does not come in without one', async () => {
  await expect(connect('').connect()).rejects.toThrow()
})

it('presents the files as they are when it connects', async () => {
  await present('other')
  const redis = connect(files())
  redis.connect().catch(() => undefined)
  await expect.poll(() => redis.status).toBe('reconnecting')
  await present('own')
  await expect.poll(() => redis.status, { timeout: 10_000 }).toBe('ready')
  // Files that are away count as they were.
  await Promise.all(['crt', 'key'].map((end) => rm(inFolder(`tls.${end}`))))
  await server.admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
  await expect.poll(() => redis.ping().catch(() => 'away'), { timeout: 10_000 }).toBe('PONG')
})

it('names a file that cannot be read at the start', () => {
  expect(() => connect('&cert=/does/not/exist&key=/does/not/exist')).toThrow(
    'cannot read /does/not/exist (ENOENT), which cert names in the URL of Redis',
  )
})
