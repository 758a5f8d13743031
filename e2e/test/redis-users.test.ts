import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Secret } from '@signet/platform/config/settings-fields'
import { connectRedis, createRedis } from '@signet/platform/redis/client'
import type { Redis } from '@signet/platform/redis/connection'
import {
  REDIS_SERVICES,
  type RedisService,
  redisUserName,
  redisUserRules,
} from '@signet/platform/redis/users'
import { childEnvironment } from '@signet/testing/child-environment'
import { freePort } from '@signet/testing/free-port'
import { type RedisProcess, startRedisProcess } from '@signet/testing/redis-process'
import { leaveSecrets } from '@signet/testing/system/left-secrets'
import type { ProcessSystem } from '@signet/testing/system/process-system'
import { startSystem } from '@signet/testing/system/start-system'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const CLI = fileURLToPath(new URL('../../apps/cli/src/main.ts', import.meta.url))
const QUEUE_PASSWORD = randomBytes(16).toString('hex')

let system: ProcessSystem
let admin: Redis
/** Server with TLS, for the queue alone. */
let queueServer: RedisProcess
let queueUrl: string
let authority: string
const opened = new AsyncDisposableStack()
beforeAll(async () => {
  const folder = await temporaryFolder('redis-tls')
  opened.defer(() => rm(folder, { recursive: true }))
  execFileSync(process.execPath, ['--conditions=source', CLI, 'certs', 'init', '--out', folder], {
    env: childEnvironment(),
  })
  authority = join(folder, 'ca.crt')
  const port = await freePort()
  queueServer = await startRedisProcess([
    ...['--tls-port', `${port}`, '--tls-auth-clients', 'no'],
    ...['--tls-cert-file', join(folder, 'keys.crt'), '--tls-key-file', join(folder, 'keys.key')],
    ...['--tls-ca-cert-file', authority],
  ])
  opened.defer(() => queueServer.drop())
  const user = redisUserName('migration')
  await queueServer.admin.acl('SETUSER', user, ...redisUserRules('migration', QUEUE_PASSWORD))
  queueUrl = `rediss://${user}:${QUEUE_PASSWORD}@localhost:${port}`
  system = await startSystem({
    mode: 'processes',
    env: { SIGNET_QUEUE_REDIS_URL: `${queueUrl}?ca=${authority}` },
  })
  opened.defer(() => system.stop())
  admin = createRedis({ url: system.redisUrl, name: 'test' })
  opened.defer(() => admin.disconnect())
  await admin.connect()
}, 300_000)
afterAll(() => opened.disposeAsync(), 60_000)

/** Keys that a flow leaves, a pattern for each kind, by the service that owns it. */
const KEYS: Readonly<Record<'login' | 'migration' | 'log' | 'assertions', RegExp>> = {
  login: /^signet:login:sessions:/,
  migration: /^\{signet-mig\}:jobs:/,
  log: /^signet:endings$/,
  assertions: /^signet:replay:client-assertion:used:/,
}
const WRITERS: Readonly<Record<keyof typeof KEYS, readonly RedisService[]>> = {
  login: ['login'],
  migration: ['migration'],
  log: ['token'],
  assertions: ['login', 'token'],
}

const serverOf = (service: RedisService) => (service === 'migration' ? queueServer.admin : admin)

/** Asks the server whether the user might send the command; `NOPERM …` or the reply of ACL DRYRUN. */
async function dryRun(service: RedisService, ...command: readonly string[]): Promise<string> {
  return String(await serverOf(service).call('ACL', 'DRYRUN', redisUserName(service), ...command))
}

describe('services whose Redis users may do what they need', () => {
  it('do everything that people, clients and administrators ask for, without a denied command', async () => {
    await leaveSecrets(system, 'http://127.0.0.1:9')
    const { access_token } = await system.tokens()
    expect(await system.isActive(access_token)).toBe(true)
    await system.revoke('web', access_token)
    expect(await system.isActive(access_token)).toBe(false)
    await expect
      .poll(() => system.output().stderr.includes('job_storage_failed'), { timeout: 30_000 })
      .toBe(true)
    expect(await admin.call('ACL', 'LOG')).toEqual([])
    expect(await queueServer.admin.call('ACL', 'LOG')).toEqual([])
    expect(system.output().stderr).not.toContain('NOPERM')
  }, 90_000)

  it('connect as their own users', async () => {
    const usersOf = async (server: Pick<Redis, 'client'>) =>
      new Set([...String(await server.client('LIST')).matchAll(/ user=(\S+) /g)].map(([, name]) => name))
    const names = ['login', 'token', 'introspection'].map((service) => `signet_${service}`)
    expect(await usersOf(admin)).toEqual(new Set([...names, 'default']))
    expect(await usersOf(queueServer.admin)).toEqual(new Set(['signet_migration', 'default']))
  })

  it('cannot read or write a key of another service, and none but token writes the log of endings', async () => {
    const keys = [...(await admin.keys('*')), ...(await queueServer.admin.keys('*'))]
    for (const service of REDIS_SERVICES) {
      for (const [kind, writers] of Object.entries(WRITERS) as [
        keyof typeof KEYS,
        readonly RedisService[],
      ][]) {
        const key = keys.find((name) => KEYS[kind].test(name))
        if (key === undefined) throw new Error(`no key of ${kind} is there`)
        const isOwn = writers.includes(service)
        const reads = isOwn || (kind === 'log' && service !== 'migration')
        for (const [may, ...command] of [
          [reads, 'GET', key],
          [isOwn, 'SET', key, '1'],
          [isOwn, 'DEL', key],
          [isOwn, 'EVAL', 'return 1', '1', key],
        ] as const) {
          const reply = await dryRun(service, ...command)
          expect(reply === 'OK', `${service} ${command.join(' ')}: ${reply}`).toBe(may)
        }
      }
    }
    for (const service of ['login', 'introspection'] as const) {
      expect(await dryRun(service, 'XRANGE', 'signet:endings', '-', '+')).toBe('OK')
      expect(await dryRun(service, 'XADD', 'signet:endings', '*', 'a', 'b')).toMatch(/no permissions/)
    }
    for (const service of ['login', 'token', 'introspection'] as const) {
      const proof = 'signet:replay:dpop-proof:used:key:id'
      expect(await dryRun(service, 'SET', proof, '1', 'EX', '60', 'NX')).toBe('OK')
    }
  })

  it('keep the queue on the Redis of its own, and nothing else', async () => {
    expect(await queueServer.admin.keys('{signet-mig}:*')).not.toEqual([])
    expect(await queueServer.admin.keys('signet:*')).toEqual([])
    expect(await admin.keys('{signet-mig}:*')).toEqual([])
  })

  it('refuse a server whose certificate the authority of the address did not sign', async () => {
    const problemsOf = async (url: string) => {
      const problems: string[] = []
      const onError = ({ message }: Error) => problems.push(message)
      const redis = createRedis({ url: new Secret(url), name: 'test', onError })
      await connectRedis(redis).catch(onError)
      redis.disconnect()
      return problems.join()
    }
    expect(await problemsOf(`${queueUrl}?ca=${authority}`)).toBe('')
    expect(await problemsOf(queueUrl)).toMatch(/self-signed certificate|unable to verify/)
    const byAddress = queueUrl.replace('localhost', '127.0.0.1')
    expect(await problemsOf(`${byAddress}?ca=${authority}`)).toContain('IP: 127.0.0.1')
    await expect(problemsOf(`${queueUrl}?ca=${authority}.none`)).rejects.toThrow(
      /cannot read .*\.none \(ENOENT\)/,
    )
  })

  it.each(REDIS_SERVICES)('%s cannot list keys, change the server or watch others', async (service) => {
    for (const command of [
      'KEYS *',
      'SCAN 0',
      'FLUSHALL',
      'CONFIG GET *',
      'ACL LIST',
      'MONITOR',
      'CLIENT LIST',
    ]) {
      expect(await dryRun(service, ...command.split(' ')), command).toMatch(/no permissions/)
    }
  })
})
