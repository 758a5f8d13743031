import { createRedis, type Redis } from '@signet/platform/redis/client'
import { REDIS_SERVICES, type RedisService, redisUserName } from '@signet/platform/redis/users'
import { leaveSecrets } from '@signet/testing/system/left-secrets'
import type { ProcessSystem } from '@signet/testing/system/process-system'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let system: ProcessSystem
let admin: Redis
beforeAll(async () => {
  system = await startSystem({ mode: 'processes' })
  admin = createRedis({ url: system.redisUrl, name: 'test' })
  await admin.connect()
}, 300_000)
afterAll(async () => {
  admin?.disconnect()
  await system?.stop()
}, 60_000)

/** One key of each kind that a flow leaves, by the service that owns it. */
const KEYS: Readonly<Record<RedisService | 'log', RegExp>> = {
  login: /^signet:login:sessions:/,
  token: /^signet:token:assertion:/,
  introspection: /^$/,
  migration: /^\{signet-mig\}:jobs:/,
  log: /^signet:endings$/,
}

/** Asks the server whether the user might send the command; `NOPERM …` or the reply of ACL DRYRUN. */
async function dryRun(service: RedisService, ...command: readonly string[]): Promise<string> {
  return String(await admin.call('ACL', 'DRYRUN', redisUserName(service), ...command))
}

describe('services whose Redis users may do what they need', () => {
  it('do everything that people, clients and administrators ask for, without a denied command', async () => {
    await leaveSecrets(system, 'http://127.0.0.1:9')
    const { access_token } = await system.tokens()
    expect(await system.isActive(access_token)).toBe(true)
    await system.revoke('web', access_token)
    expect(await system.isActive(access_token)).toBe(false)
    await expect.poll(() => admin.keys('{signet-mig}:jobs:*'), { timeout: 20_000 }).not.toEqual([])
    await expect
      .poll(() => system.output().stderr.includes('job_storage_failed'), { timeout: 30_000 })
      .toBe(true)
    expect(await admin.call('ACL', 'LOG')).toEqual([])
    expect(system.output().stderr).not.toContain('NOPERM')
  }, 90_000)

  it('connect as their own users', async () => {
    const users = String(await admin.client('LIST')).matchAll(/ user=(\S+) /g)
    const names = new Set([...users].map(([, name]) => name))
    for (const service of REDIS_SERVICES) expect(names).toContain(redisUserName(service))
  })

  it('cannot read or write a key of another service, and none but token the log of endings', async () => {
    const keys = await admin.keys('*')
    for (const service of REDIS_SERVICES) {
      for (const [owner, pattern] of Object.entries(KEYS)) {
        const key = keys.find((name) => pattern.test(name))
        if (owner === 'introspection') continue
        if (key === undefined) throw new Error(`no key of ${owner} is there`)
        const isOwn = owner === service || (owner === 'log' && service === 'token')
        const reads = isOwn || (owner === 'log' && service !== 'migration')
        for (const [may, ...command] of [
          [reads && service !== 'introspection', 'GET', key],
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
