import type { ServiceName } from '@signet/platform/process/service'
import { createRedis } from '@signet/platform/redis/client'
import type { Redis } from '@signet/platform/redis/connection'
import { startLogoutReceiver } from '@signet/testing/logout-receiver'
import { createPreparedDataDirectory } from '@signet/testing/system/prepared-data'
import type { ProcessSystem } from '@signet/testing/system/process-system'
import {
  type RestartablePostgres,
  startRestartablePostgres,
} from '@signet/testing/system/restartable-postgres'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

/** The longest time until an ending is effective after a crash, counted from the restart. */
const IN_FORCE_MS = 2_000

let postgres: RestartablePostgres
let system: ProcessSystem
let redis: Redis
beforeAll(async () => {
  postgres = await startRestartablePostgres(await createPreparedDataDirectory())
  system = await startSystem({ mode: 'processes', postgresUrl: postgres.url })
  redis = createRedis({ url: system.redisUrl, name: 'test' })
  await redis.connect()
}, 120_000)
afterAll(async () => {
  redis?.disconnect()
  await system?.stop()
  await postgres?.stop()
}, 60_000)

beforeEach(() => untilSignInWorks(), 20_000)

async function isTrue(text: string, ...values: readonly unknown[]): Promise<boolean> {
  const { rows } = await system.database.query<{ yes: boolean }>({
    name: '',
    text: `SELECT (${text}) AS yes`,
    values,
  })
  return rows[0]?.yes ?? false
}

function replica(service: ServiceName) {
  const [only] = system.processes.replicas(service)
  if (only === undefined) throw new Error(`there is no ${service}`)
  return only
}

/** A service that lost its callee finds it again within a second or two; a person would try again, too. */
async function untilSignInWorks(): Promise<void> {
  const signsIn = () =>
    system.tokens().then(
      () => true,
      () => false,
    )
  await expect.poll(signsIn, { timeout: 10_000 }).toBe(true)
}

/** Starts the process again, waits until it is ready, and answers how long the token was still active after that. */
async function msUntilInactive(service: ServiceName, token: string): Promise<number> {
  await replica(service).start()
  await system.processes.untilReady()
  const ready = performance.now()
  await expect.poll(() => system.isActive(token), { timeout: 10_000, interval: 20 }).toBe(false)
  return performance.now() - ready
}

describe('kill -9 between a commit and the step after it', () => {
  it('of token before the log is written: the token is inactive within 2 seconds of the restart', async () => {
    const { access_token } = await system.tokens()
    const redisPid = Number(/^process_id:(\d+)/m.exec(await redis.info('server'))?.[1])
    process.kill(redisPid, 'SIGSTOP')
    try {
      const unanswered = system.revoke('web', access_token).catch(() => undefined)
      await expect.poll(() => isTrue(`EXISTS (SELECT FROM grants.revocation WHERE kind = 't')`)).toBe(true)
      await replica('token').end('SIGKILL')
      await unanswered
    } finally {
      process.kill(redisPid, 'SIGCONT')
    }
    expect(await msUntilInactive('token', access_token)).toBeLessThan(IN_FORCE_MS)
  }, 60_000)

  it('of directory before it publishes an epoch: likewise', async () => {
    const { access_token } = await system.tokens({ loginName: 'bob' })
    const token = replica('token')
    // The row is locked, so that the accepted call waits with its change; then the publication is cut.
    const held = Promise.withResolvers<void>()
    const holding = system.database.transaction(async (tx) => {
      await tx.query({ name: '', text: `SELECT FROM directory.account WHERE user_id = 'bob' FOR UPDATE` })
      await held.promise
    })
    const unanswered = system.manage('PATCH', '/users/bob', { state: 'inactive' }).catch(() => undefined)
    await expect
      .poll(() =>
        // The lock type of a session that waits for a row; the jobs of the services sometimes wait for other locks.
        isTrue(`EXISTS (SELECT FROM pg_locks WHERE locktype IN ('transactionid', 'tuple') AND NOT granted)`),
      )
      .toBe(true)
    process.kill(token.pid, 'SIGSTOP')
    try {
      held.resolve()
      await holding
      await expect
        .poll(() => isTrue(`(SELECT state FROM directory.account WHERE user_id = 'bob') = 'inactive'`))
        .toBe(true)
      await replica('directory').end('SIGKILL')
      await unanswered
    } finally {
      process.kill(token.pid, 'SIGCONT')
    }
    expect(await msUntilInactive('directory', access_token)).toBeLessThan(IN_FORCE_MS)
  }, 60_000)
})

describe('kill -9 between a logout and the word of it to the applications', () => {
  it('notifies the application after the restart [F-39]', async () => {
    const application = await startLogoutReceiver()
    application.answerWith(undefined)
    try {
      await system.database.query({
        name: '',
        text: `UPDATE directory.application SET back_channel_logout_uri = $1 WHERE client_id = 'web'`,
        values: [application.uri],
      })
      const browser = system.newBrowser()
      const { id_token } = await system.tokens({ browser })
      const page = await browser.open(`/oidc/v1/end_session?id_token_hint=${id_token}`)
      expect(page.status).toBe(200)
      expect(await isTrue(`EXISTS (SELECT FROM grants.logout_delivery WHERE outcome IS NULL)`)).toBe(true)
      await replica('token').end('SIGKILL')
      // Its requests may still be on their way.
      await expect.poll(() => application.openConnections()).toBe(0)
      const before = application.received.length
      application.answerWith(200)
      // The killed process may have begun to send; its lease has to end first.
      await system.database.query({ name: '', text: 'UPDATE grants.logout_delivery SET due_at = now()' })
      await replica('token').start()
      await expect
        .poll(() => isTrue(`EXISTS (SELECT FROM grants.logout_delivery WHERE outcome = 'delivered')`))
        .toBe(true)
      expect(application.received).toHaveLength(before + 1)
    } finally {
      await application.stop()
    }
  }, 60_000)
})

describe('PostgreSQL restarted under load', () => {
  it('returns no wrong response meanwhile, and recovers without a restart', async () => {
    const { access_token: alive } = await system.tokens()
    const { access_token: ended } = await system.tokens()
    await system.revoke('web', ended)
    const wrong: string[] = []
    let running = true
    const load = async (
      name: string,
      call: () => Promise<{ status: number; json: { active?: unknown } }>,
      right: (active: unknown) => boolean,
    ) => {
      while (running) {
        const { status, json } = await call()
        const acceptable = status === 200 ? right(json.active) : [502, 503].includes(status)
        if (!acceptable) wrong.push(`${name}: ${status} ${JSON.stringify(json)}`)
      }
    }
    const callers = [
      load(
        'alive',
        () => system.introspect(alive),
        (active) => active === true,
      ),
      load(
        'ended',
        () => system.introspect(ended),
        (active) => active === false,
      ),
    ]
    await postgres.restart()
    await expect
      .poll(
        () =>
          system
            .tokens()
            .then(({ access_token }) => system.isActive(access_token))
            .catch(() => false),
        {
          timeout: 30_000,
        },
      )
      .toBe(true)
    running = false
    await Promise.all(callers)
    expect(wrong).toEqual([])
    expect(await system.isActive(alive)).toBe(true)
    expect(await system.isActive(ended)).toBe(false)
  }, 90_000)
})
