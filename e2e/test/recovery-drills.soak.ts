import { chmod, rm } from 'node:fs/promises'
import { alive, type RecoverySuite, signIn, startRecoverySuite } from '@signet/testing/system/recovery-suite'
import { type Suite, tokensOf } from '@signet/testing/system/suite'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { afterEach, expect, it } from 'vitest'

// The drills of docs/runbooks/back-up-and-restore.md, with its commands. They need the programs of PostgreSQL, such as
// pg_dump and pg_basebackup, on this machine.

let recovery: RecoverySuite | undefined
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  await recovery?.stop()
  recovery = undefined
  for (const stop of stops.splice(0)) await stop()
}, 60_000)

const TIMEOUT_MS = 180_000

async function makeToken(suite: Suite): Promise<{ readonly id: string; readonly value: string }> {
  const { json } = await suite.manage('POST', '/users/administrator/tokens', {})
  return { id: String(json.id), value: String(json.token) }
}

/** The status that the management API answers to a personal access token: 401 when it has ended. */
async function statusFor(suite: Suite, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return (await suite.fetch('/management/v1/organizations', { headers })).status
}

interface Key {
  readonly kid: string
  readonly ring: string
  readonly state: string
  readonly revokedAt?: string
}

async function keysOf(suite: Suite): Promise<readonly Key[]> {
  return (await suite.manage('GET', '/keys')).json.keys as readonly Key[]
}

/** Takes a backup, and returns what restores the database of then. */
type BackUp = (recovery: RecoverySuite) => Promise<() => Promise<void>>

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
    relay.lead(restored.port)
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
    recovery = await startRecoverySuite()
    const { suite } = recovery
    const [alice, bob, carol] = [
      await signIn(suite, 'alice'),
      await signIn(suite, 'bob'),
      await signIn(suite, 'carol'),
    ]
    const [kept, deleted] = [await makeToken(suite), await makeToken(suite)]

    const restore = await backUp(recovery)

    // Since the backup: alice is signed out everywhere, bob's application gives its tokens back, carol goes on.
    await suite.manage('POST', '/users/alice/sign-out')
    await suite.revoke('web', bob.tokens.refresh_token)
    await suite.manage('DELETE', `/users/administrator/tokens/${deleted.id}`)
    const rotated = tokensOf(await suite.refresh('web', carol.tokens.refresh_token))
    expect(await alive(suite, alice)).toEqual([])

    await recovery.stopServices()
    await restore()
    expect(await recovery.migrate('restored', '--dry-run')).toMatch(/nothing was changed/)
    const printed = await recovery.migrate('restored')
    expect(printed).toMatch(new RegExp(`personal access token ${kept.id} of administrator in acme`))
    expect(printed).not.toContain(deleted.id)
    await recovery.startServices()

    for (const person of [alice, bob, carol]) expect(await alive(suite, person), person.loginName).toEqual([])
    expect(await suite.isActive(rotated.access_token)).toBe(false)
    expect([await statusFor(suite, kept.value), await statusFor(suite, deleted.value)]).toEqual([200, 401])
    for (const { loginName } of [alice, bob, carol]) {
      const again = await signIn(suite, loginName)
      expect(await alive(suite, again), loginName).toEqual(['access', 'refresh', 'session'])
    }
  },
  TIMEOUT_MS,
)

it(
  'after a fail-over to a standby that lacked the last endings no ended token revives, and every user can sign in',
  async () => {
    recovery = await startRecoverySuite()
    const { suite, postgres, relay } = recovery
    const [alice, bob, carol, dora] = [
      await signIn(suite, 'alice'),
      await signIn(suite, 'bob'),
      await signIn(suite, 'carol'),
      await signIn(suite, 'dora'),
    ]
    const deleted = await makeToken(suite)
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
    await suite.manage('POST', '/users/alice/sign-out')
    await suite.revoke('web', bob.tokens.refresh_token)
    const sessions = (await suite.manage('GET', '/users/carol/sessions')).json.items as readonly {
      id: string
    }[]
    await suite.manage('DELETE', `/users/carol/sessions/${sessions[0]?.id}`)
    await suite.manage('DELETE', `/users/administrator/tokens/${deleted.id}`)
    const stolen = (await keysOf(suite)).find(
      ({ ring, state }) => ring === 'signing' && state === 'announced',
    )
    expect((await suite.manage('POST', `/keys/${stolen?.kid}/revoke`)).status).toBe(200)

    await postgres.kill()
    await standby.run('psql', '--dbname=signet', '--command=SELECT pg_promote()')
    relay.lead(standby.port)

    // Processes that run know what ended; the refresh families and the directory learn it from the log.
    await expect
      .poll(() => recovery?.metricOfToken('signet_endings_recovered_total'), { timeout: 20_000 })
      .toBeGreaterThanOrEqual(4)
    const since = performance.now()
    for (const person of [alice, bob, carol]) {
      await expect
        .poll(() => alive(suite, person).catch(String), { timeout: 20_000 })
        .toEqual(person === bob ? ['session'] : [])
    }
    expect(performance.now() - since).toBeLessThan(30_000)
    expect(await alive(suite, dora)).toEqual(['access', 'refresh', 'session'])
    await expect.poll(() => statusFor(suite, deleted.value), { timeout: 20_000 }).toBe(401)
    await expect
      .poll(async () => (await keysOf(suite)).find(({ kid }) => kid === stolen?.kid)?.revokedAt, {
        timeout: 20_000,
      })
      .toBeTypeOf('string')
    for (const { loginName } of [alice, bob, carol]) {
      const again = await signIn(suite, loginName)
      expect(await alive(suite, again), loginName).toEqual(['access', 'refresh', 'session'])
    }
    // Nor does it revive for processes that knew nothing of it.
    await recovery.stopServices()
    await recovery.startServices()
    for (const person of [alice, carol]) expect(await alive(suite, person), person.loginName).toEqual([])
  },
  TIMEOUT_MS,
)
