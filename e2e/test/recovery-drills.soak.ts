import { chmod, rm } from 'node:fs/promises'
import { SERVICE_NAMES } from '@signet/platform/process/service'
import { type NativePostgres, startNativePostgres } from '@signet/testing/system/native-postgres'
import type { ProcessSystem } from '@signet/testing/system/process-system'
import { startSystem } from '@signet/testing/system/start-system'
import { tokensOf } from '@signet/testing/system/test-system'
import { startTcpRelay, type TcpRelay } from '@signet/testing/tcp-relay'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { afterEach, expect, it } from 'vitest'
import { alive, signIn } from './signed-in.ts'

// The drills of docs/runbooks/back-up-and-restore.md, with its commands. They need the programs of PostgreSQL, such as
// pg_dump and pg_basebackup, on this machine.

/** Processes on an installed PostgreSQL behind an address that a drill leads to another server. */
interface Recovery {
  readonly system: ProcessSystem
  readonly postgres: NativePostgres
  readonly relay: TcpRelay
}

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
}, 60_000)

async function startRecovery(): Promise<Recovery> {
  const postgres = await startNativePostgres()
  stops.push(() => postgres.stop())
  const relay = await startTcpRelay(postgres.url)
  stops.push(() => relay.stop())
  const system = await startSystem({ mode: 'processes', postgresUrl: relay.through(postgres.url) })
  stops.push(() => system.stop())
  return { system, postgres, relay }
}

/** The value of a metric, added up over the replicas of `token`. */
async function metricOfToken({ processes }: ProcessSystem, name: string): Promise<number> {
  const pages = processes.replicas('token').map(async ({ ports }) => {
    const response = await fetch(`http://127.0.0.1:${ports.operations}/metrics`)
    return response.text()
  })
  const lines = (await Promise.all(pages)).join('\n').split('\n')
  const values = lines.filter((line) => line.startsWith(name)).map((line) => Number(line.split(' ').at(-1)))
  return values.reduce((sum, value) => sum + value, 0)
}

const TIMEOUT_MS = 180_000

async function makeToken(system: ProcessSystem): Promise<{ readonly id: string; readonly value: string }> {
  const { json } = await system.manage('POST', '/users/administrator/tokens', {})
  return { id: String(json.id), value: String(json.token) }
}

/** The status that the management API answers to a personal access token: 401 when it has ended. */
async function statusFor(system: ProcessSystem, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return (await system.fetch('/management/v1/organizations', { headers })).status
}

interface Key {
  readonly kid: string
  readonly ring: string
  readonly state: string
  readonly revokedAt?: string
}

async function keysOf(system: ProcessSystem): Promise<readonly Key[]> {
  return (await system.manage('GET', '/keys')).json.keys as readonly Key[]
}

/** Takes a backup, and returns what restores the database of then. */
type BackUp = (recovery: Recovery) => Promise<() => Promise<void>>

const byDump: BackUp = async ({ postgres }) => {
  const folder = await temporaryFolder('backup')
  await chmod(folder, 0o777)
  await postgres.run('pg_dumpall', '--roles-only', `--file=${folder}/roles.sql`)
  await postgres.run('pg_dump', '--format=custom', `--file=${folder}/signet.dump`, 'signet')
  return async () => {
    await postgres.run('dropdb', '--force', 'signet')
    await postgres.run('createdb', 'signet')
    await postgres.run('pg_restore', '--dbname=signet', '--exit-on-error', `${folder}/signet.dump`)
    await rm(folder, { recursive: true, force: true })
  }
}

const toPointInTime: BackUp = async ({ postgres, relay }) => {
  const backup = await postgres.baseBackup()
  const time = await postgres.run('psql', '--dbname=signet', '-At', '--command=SELECT clock_timestamp()')
  return async () => {
    await postgres.run('psql', '--dbname=signet', '--command=SELECT pg_switch_wal()')
    await postgres.run('psql', '--dbname=signet', '--command=CHECKPOINT')
    await postgres.halt()
    const restored = await backup.restoreTo(time.trim())
    stops.push(() => restored.stop())
    relay.lead(restored.url)
    await expect
      .poll(() => restored.run('psql', '--dbname=signet', '-At', '--command=SELECT pg_is_in_recovery()'))
      .toBe('f\n')
  }
}

it.each([
  ['of a dump', byDump],
  ['to a point in time', toPointInTime],
] as const)(
  'after a restore %s no revoked token is active, every user can sign in, and credentials that may still be valid are listed',
  async (_, backUp) => {
    const recovery = await startRecovery()
    const { system } = recovery
    const [alice, bob, carol] = [
      await signIn(system, 'alice'),
      await signIn(system, 'bob'),
      await signIn(system, 'carol'),
    ]
    const [kept, deleted] = [await makeToken(system), await makeToken(system)]

    const restore = await backUp(recovery)

    // Since the backup: alice is signed out everywhere, bob's application gives its tokens back, carol goes on.
    await system.manage('POST', '/users/alice/sign-out')
    await system.revoke('web', bob.tokens.refresh_token)
    await system.manage('DELETE', `/users/administrator/tokens/${deleted.id}`)
    const rotated = tokensOf(await system.refresh('web', carol.tokens.refresh_token))
    expect(await alive(system, alice)).toEqual([])

    await system.whileStopped(SERVICE_NAMES, async () => {
      await restore()
      expect(await system.processes.migrate('restored', '--dry-run')).toMatch(/nothing was changed/)
      const printed = await system.processes.migrate('restored')
      expect(printed).toMatch(new RegExp(`personal access token ${kept.id} of administrator in acme`))
      expect(printed).not.toContain(deleted.id)
    })
    await system.processes.untilReady()

    for (const person of [alice, bob, carol])
      expect(await alive(system, person), person.loginName).toEqual([])
    expect(await system.isActive(rotated.access_token)).toBe(false)
    expect([await statusFor(system, kept.value), await statusFor(system, deleted.value)]).toEqual([200, 401])
    for (const { loginName } of [alice, bob, carol]) {
      const again = await signIn(system, loginName)
      expect(await alive(system, again), loginName).toEqual(['access', 'refresh', 'session'])
    }
  },
  TIMEOUT_MS,
)

it(
  'after a fail-over to a standby that lacked the last endings no ended token revives, and every user can sign in',
  async () => {
    const { system, postgres, relay } = await startRecovery()
    const [alice, bob, carol, dora] = [
      await signIn(system, 'alice'),
      await signIn(system, 'bob'),
      await signIn(system, 'carol'),
      await signIn(system, 'dora'),
    ]
    const deleted = await makeToken(system)
    const standby = await postgres.standby()
    stops.push(() => standby.stop())
    // The standby is asynchronous, and here it hears of nothing any more.
    await standby.run('psql', '--dbname=signet', `--command=ALTER SYSTEM SET primary_conninfo = ''`)
    await standby.run('psql', '--dbname=signet', '--command=SELECT pg_reload_conf()')
    await expect
      .poll(() =>
        postgres.run('psql', '--dbname=signet', '-At', '--command=SELECT count(*) FROM pg_stat_replication'),
      )
      .toBe('0\n')
    await system.manage('POST', '/users/alice/sign-out')
    await system.revoke('web', bob.tokens.refresh_token)
    const sessions = (await system.manage('GET', '/users/carol/sessions')).json.items as readonly {
      id: string
    }[]
    await system.manage('DELETE', `/users/carol/sessions/${sessions[0]?.id}`)
    await system.manage('DELETE', `/users/administrator/tokens/${deleted.id}`)
    const stolen = (await keysOf(system)).find(
      ({ ring, state }) => ring === 'signing' && state === 'announced',
    )
    expect((await system.manage('POST', `/keys/${stolen?.kid}/revoke`)).status).toBe(200)

    await postgres.kill()
    await standby.run('psql', '--dbname=signet', '--command=SELECT pg_promote()')
    relay.lead(standby.url)

    // Processes that run know what ended; the refresh families and the directory learn it from the log.
    await expect
      .poll(() => metricOfToken(system, 'signet_endings_recovered_total'), { timeout: 20_000 })
      .toBeGreaterThanOrEqual(4)
    const since = performance.now()
    for (const person of [alice, bob, carol]) {
      await expect
        .poll(() => alive(system, person).catch(String), { timeout: 20_000 })
        .toEqual(person === bob ? ['session'] : [])
    }
    expect(performance.now() - since).toBeLessThan(30_000)
    expect(await alive(system, dora)).toEqual(['access', 'refresh', 'session'])
    await expect.poll(() => statusFor(system, deleted.value), { timeout: 20_000 }).toBe(401)
    await expect
      .poll(async () => (await keysOf(system)).find(({ kid }) => kid === stolen?.kid)?.revokedAt, {
        timeout: 20_000,
      })
      .toBeTypeOf('string')
    for (const { loginName } of [alice, bob, carol]) {
      const again = await signIn(system, loginName)
      expect(await alive(system, again), loginName).toEqual(['access', 'refresh', 'session'])
    }
    // Nor does it revive for processes that knew nothing of it.
    await system.whileStopped(SERVICE_NAMES, async () => undefined)
    await system.processes.untilReady()
    for (const person of [alice, carol]) expect(await alive(system, person), person.loginName).toEqual([])
  },
  TIMEOUT_MS,
)
