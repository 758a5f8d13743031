import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { SERVICE_NAMES, type ServiceName } from '@signet/platform/process/service'
import { type RedisProcess, startRedisProcess } from '@signet/testing/redis-process'
import type { ProcessSystem } from '@signet/testing/system/process-system'
import { signetCommand } from '@signet/testing/system/signet-command'
import { startSystem } from '@signet/testing/system/start-system'
import { tokensOf } from '@signet/testing/system/test-system'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'

// The procedures of docs/runbooks/rotate-secrets.md, under load, with two processes of each service that uses Redis.

const TRUST_PREFIX = 'spiffe://signet.internal'
const REPLICATED: readonly ServiceName[] = ['login', 'token', 'introspection']
const TIMEOUT_MS = 300_000

let folder: string
let redis: RedisProcess
let system: ProcessSystem

beforeAll(async () => {
  folder = await temporaryFolder('secrets')
  await mkdir(join(folder, 'passwords'))
  await writePasswords(SERVICE_NAMES)
  redis = await startRedisProcess()
  await redis.admin.acl('SETUSER', 'default', 'resetpass', `>${await writePassword('redis')}`)
  system = await startSystem({
    mode: 'processes',
    services: Object.fromEntries(REPLICATED.map((service) => [service, 2])),
    redisUrl: redis.url,
    secretsFolder: folder,
    env: {
      SIGNET_RPC_TRUST_PREFIX: TRUST_PREFIX,
      SIGNET_RPC_CONNECTION_AGE_SECONDS: '5',
      SIGNET_DRAIN_DELAY_SECONDS: '2',
    },
  })
}, TIMEOUT_MS)
afterAll(async () => {
  await system?.stop()
  await redis?.drop()
}, 60_000)

/** Replaces a file in one step, as the kubelet does. */
async function place(path: string, content: string): Promise<void> {
  await writeFile(`${path}.new`, content, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

/** Writes a new password, with characters that an address cannot have, and returns it. */
async function writePassword(name: string): Promise<string> {
  const password = `${randomBytes(12).toString('base64url')}/@:%`
  await place(join(folder, 'passwords', name), password)
  return password
}

async function writePasswords(names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await writePassword(name)])))
}

interface Load {
  /** Sends so many requests of each kind at once that every pool opens connections. */
  burst(): Promise<void>
  /** Ends the load. Returns how many requests there were and what went wrong. */
  stop(): Promise<{ readonly requests: number; readonly failures: readonly string[] }>
}

/** Introspects, refreshes, reads the key set and the management API, and signs in, all the time. */
async function startLoad(): Promise<Load> {
  const tokens = await system.tokens()
  const failures: string[] = []
  let requests = 0
  let isOver = false
  let refreshToken = tokens.refresh_token

  const attempt = async (name: string, work: () => Promise<number | boolean>) => {
    requests += 1
    const outcome = await work().catch(String)
    if (outcome !== 200 && outcome !== true) failures.push(`${name}: ${outcome}`)
  }
  const introspect = () => attempt('introspection', () => system.isActive(tokens.access_token))
  const readKeys = () => attempt('key set', async () => (await system.fetch('/oauth/v2/keys')).status)
  const manage = () =>
    attempt('management', async () => (await system.manage('GET', '/organizations')).status)
  const signIn = () =>
    attempt('sign-in', async () => {
      const { access_token } = await system.tokens({ loginName: 'bob' })
      return system.isActive(access_token)
    })
  const refresh = () =>
    attempt('refresh', async () => {
      const answer = await system.refresh('web', refreshToken)
      if (answer.status === 200) refreshToken = tokensOf(answer).refresh_token
      return answer.status
    })
  const forever = async (work: () => Promise<void>, everyMs: number) => {
    while (!isOver) {
      await work()
      await pause(everyMs)
    }
  }
  const loops = [
    forever(introspect, 50),
    forever(readKeys, 200),
    forever(manage, 500),
    forever(refresh, 500),
    forever(signIn, 1_500),
  ]
  const stop = async () => {
    isOver = true
    await Promise.all(loops)
    return { requests, failures }
  }
  onTestFinished(async () => void (await stop()))
  return {
    async burst() {
      await Promise.all(
        Array.from({ length: 12 }, () => [introspect(), introspect(), manage(), manage(), signIn()]).flat(),
      )
    },
    stop,
  }
}

/** Restarts one process of each replicated service, so that it knows nothing of before. */
async function restartOneOfEach(index: number): Promise<void> {
  const replicas = REPLICATED.map((service) => system.replica(service, index))
  await Promise.all(replicas.map((replica) => replica.end('SIGTERM')))
  await Promise.all(replicas.map((replica) => replica.start()))
  await system.processes.untilReady()
}

/** Waits until the pools have closed most of their idle connections, 30 seconds after a burst. */
async function untilPoolsAreSmall(): Promise<void> {
  const text = `SELECT count(*) AS count FROM pg_stat_activity WHERE usename LIKE 'signet\\_%'`
  await expect
    .poll(async () => (await system.database.query<{ count: number }>({ name: '', text })).rows[0]?.count, {
      timeout: 90_000,
      interval: 1_000,
    })
    .toBeLessThan(25)
}

/** The roles that opened a connection during `work`. */
async function rolesConnecting(work: () => Promise<void>): Promise<readonly string[]> {
  const now = await system.database.query<{ now: string }>({ name: '', text: 'SELECT now()::text AS now' })
  await work()
  const { rows } = await system.database.query<{ role: string }>({
    name: '',
    text: `SELECT DISTINCT usename AS role FROM pg_stat_activity
            WHERE usename LIKE 'signet\\_%' AND backend_start > $1::timestamptz`,
    values: [now.rows[0]?.now],
  })
  return rows.map(({ role }) => role)
}

function occurrences(event: string): number {
  return system.output().stderr.split(`"event":"${event}"`).length - 1
}

it(
  'rotates the passwords of database roles with the Secret first, without a failed request',
  async () => {
    await untilPoolsAreSmall()
    const load = await startLoad()
    await writePasswords(SERVICE_NAMES)
    // The roles still have the old ones.
    expect(await rolesConnecting(() => load.burst())).not.toEqual([])
    await untilPoolsAreSmall()
    await system.processes.migrate()
    expect(await rolesConnecting(() => load.burst())).not.toEqual([])
    await restartOneOfEach(0)
    await restartOneOfEach(1)
    expect(await load.stop()).toMatchObject({ failures: [], requests: expect.toSatisfy((n) => n > 200) })
  },
  TIMEOUT_MS,
)

it(
  'rotates the passwords of database roles with the roles first, without a failed request',
  async () => {
    await untilPoolsAreSmall()
    const load = await startLoad()
    const passwords = Object.fromEntries(
      SERVICE_NAMES.map((name) => [name, randomBytes(12).toString('base64url')]),
    )
    for (const [name, password] of Object.entries(passwords))
      await system.database.query({ name: '', text: `ALTER ROLE signet_${name} PASSWORD '${password}'` })
    // No process knows the new ones yet.
    expect(await rolesConnecting(() => load.burst())).toEqual([])
    for (const [name, password] of Object.entries(passwords))
      await place(join(folder, 'passwords', name), password)
    expect(await rolesConnecting(() => load.burst())).not.toEqual([])
    await restartOneOfEach(0)
    expect(await load.stop()).toMatchObject({ failures: [], requests: expect.toSatisfy((n) => n > 200) })
  },
  TIMEOUT_MS,
)

it(
  'rotates the password of Redis, without a failed request',
  async () => {
    const load = await startLoad()
    const second = `${randomBytes(12).toString('base64url')}/@:%`
    await redis.admin.acl('SETUSER', 'default', `>${second}`)
    await place(join(folder, 'passwords', 'redis'), second)
    await restartOneOfEach(0)
    await redis.admin.acl('SETUSER', 'default', 'resetpass', `>${second}`)
    await restartOneOfEach(1)
    expect(await load.stop()).toMatchObject({ failures: [], requests: expect.toSatisfy((n) => n > 200) })
  },
  TIMEOUT_MS,
)

it(
  'replaces the certificates and their authority, without a failed request',
  async () => {
    const certificates = join(folder, 'certificates')
    const processes = SERVICE_NAMES.length + REPLICATED.length
    const load = await startLoad()
    const everywhere = async (change: () => Promise<void>) => {
      const before = occurrences('certificates_renewed')
      await change()
      await expect
        .poll(() => occurrences('certificates_renewed'), { timeout: 60_000 })
        .toBeGreaterThanOrEqual(before + processes)
    }
    const made = join(folder, 'next')
    await signetCommand(['certs', 'init', '--out', made], { issuer: system.issuer, token: 'none' })
    const copy = async (name: string) =>
      place(join(certificates, name), await readFile(join(made, name), 'utf8'))
    const old = await readFile(join(certificates, 'ca.crt'), 'utf8')
    const next = await readFile(join(made, 'ca.crt'), 'utf8')
    await everywhere(() => place(join(certificates, 'ca.crt'), old + next))
    await everywhere(async () => {
      for (const name of SERVICE_NAMES) {
        await copy(`${name}.key`)
        await copy(`${name}.crt`)
      }
    })
    await load.burst()
    await everywhere(() => place(join(certificates, 'ca.crt'), next))
    await restartOneOfEach(0)
    await load.burst()
    expect(await load.stop()).toMatchObject({ failures: [], requests: expect.toSatisfy((n) => n > 200) })
  },
  TIMEOUT_MS,
)
