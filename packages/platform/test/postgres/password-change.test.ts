import { randomBytes } from 'node:crypto'
import { createTestDatabase, type TestDatabase } from '@signet/testing/postgres-fixture'
import { startTcpRelay } from '@signet/testing/tcp-relay'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createPool, type Pool } from '../../src/postgres/pool.ts'

const REFUSED = { name: 'DependencyUnavailableError', cause: { code: '28P01' } }
const sql = (text: string) => ({ name: '', text })

let server: TestDatabase
let admin: Pool
beforeAll(async () => {
  server = await createTestDatabase({ migrations: [] })
  admin = createPool({ url: server.adminUrl, applicationName: 'test', max: 1 })
})
afterAll(async () => {
  await admin?.close()
  await server?.drop()
})

/** A role with the password `first`, and a pool at `address` that is given this one until `give` has been called. */
async function startWithRole(address = server.adminUrl, max = 3) {
  const role = `test_${randomBytes(6).toString('hex')}`
  await admin.query(sql(`CREATE ROLE ${role} LOGIN PASSWORD 'first'`))
  onTestFinished(async () => void (await admin.query(sql(`DROP ROLE ${role}`))))
  let given = 'first'
  let now = 0
  const database = createPool({
    url: {
      reveal() {
        const url = new URL(address.reveal())
        url.username = role
        url.password = given
        return url.href
      },
    },
    applicationName: 'test',
    max,
    elapsed: () => now,
  })
  onTestFinished(() => database.close())
  return {
    database,
    give: (password: string) => {
      given = password
    },
    setRole: (password: string) => admin.query(sql(`ALTER ROLE ${role} PASSWORD '${password}'`)),
    pass: (ms: number) => {
      now += ms
    },
    /** Four statements that need three connections: the first one has an open one when the others begin. */
    async ask() {
      const ask = () => database.query(sql('SELECT pg_sleep(0.05)'))
      const first = ask()
      // It may reject before it is awaited.
      first.catch(() => undefined)
      await new Promise(setImmediate)
      // All of them: a connection that is still being made could be accepted after the next change of the role.
      const outcomes = await Promise.allSettled([first, ask(), ask(), ask()])
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
    },
    async loseConnections() {
      await admin.query(
        sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`),
      )
      await expect.poll(() => database.use()).toEqual({ used: 0, idle: 0, waiting: 0 })
    },
  }
}

describe('a change of the password of a role', () => {
  it('costs no statement when the process has the new one first', async () => {
    const { database, give, setRole, ask, loseConnections } = await startWithRole()
    await database.query(sql('SELECT 1'))
    give('second')
    await ask()
    await loseConnections()
    await ask()
    await setRole('second')
    await loseConnections()
    await ask()
    await setRole('third')
    give('third')
    await loseConnections()
    await ask()
  })

  it('costs no statement when the role has the new one first, while the pool has a connection', async () => {
    const { database, give, setRole, ask } = await startWithRole()
    await database.query(sql('SELECT 1'))
    await setRole('second')
    await ask()
    expect(database.use()).toEqual({ used: 0, idle: 1, waiting: 0 })
    give('second')
    await ask()
    expect(database.use()).toEqual({ used: 0, idle: 3, waiting: 0 })
  })

  it('costs none of a hundred statements at once while the pool has one connection of ten', async () => {
    const { database, setRole } = await startWithRole(server.adminUrl, 10)
    await database.query(sql('SELECT 1'))
    await setRole('second')
    await Promise.all(Array.from({ length: 100 }, () => database.query(sql('SELECT pg_sleep(0.001)'))))
    expect(database.use()).toEqual({ used: 0, idle: 1, waiting: 0 })
  })

  it('tries a refused password again after a second', async () => {
    const { database, setRole, ask, pass } = await startWithRole()
    await database.query(sql('SELECT 1'))
    await setRole('second')
    await ask()
    await setRole('first')
    await ask()
    expect(database.use().idle).toBe(1)
    pass(1_000)
    // One statement tries while the others wait for a connection; the pool grows as usual when it has succeeded.
    await ask()
    expect(database.use().idle).toBe(2)
    await ask()
    expect(database.use().idle).toBe(3)
  })

  it('is unavailable while no known password is right and no connection is open', async () => {
    const { database, give, setRole, ask, loseConnections } = await startWithRole()
    await ask()
    await setRole('second')
    await loseConnections()
    await expect(ask()).rejects.toMatchObject(REFUSED)
    await expect(ask()).rejects.toMatchObject(REFUSED)
    await expect.poll(() => database.use()).toEqual({ used: 0, idle: 0, waiting: 0 })
    give('second')
    await ask()
  })

  it('does not ask the server again for a second after it refused every known password', async () => {
    const { database, setRole, ask, loseConnections, pass } = await startWithRole()
    await ask()
    await setRole('second')
    await loseConnections()
    await expect(ask()).rejects.toMatchObject(REFUSED)
    await setRole('first')
    const statements = Array.from({ length: 100 }, () => database.query(sql('SELECT 1')))
    const outcomes = await Promise.allSettled(statements)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toEqual([])
    pass(1_000)
    await ask()
  })

  it('costs the server one try when the second is over, however many statements there are', async () => {
    const proxy = await startTcpRelay(server.adminUrl)
    onTestFinished(() => proxy.stop())
    const { ask, setRole, loseConnections, pass } = await startWithRole(proxy.through(server.adminUrl))
    await ask()
    await setRole('second')
    await loseConnections()
    await expect(ask()).rejects.toMatchObject(REFUSED)
    const before = proxy.connections()
    pass(1_000)
    await expect(ask()).rejects.toMatchObject(REFUSED)
    expect(proxy.connections() - before).toBe(1)
  })

  it('lets a statement wait for a connection as long as ever when the server refuses a new one in between', async () => {
    const { database, setRole, pass } = await startWithRole()
    const [begun, done] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()]
    onTestFinished(() => done.resolve())
    const ended = database
      .transaction(async (tx) => {
        const { rows } = await tx.query<{ pid: number }>(sql('SELECT pg_backend_pid() AS pid'))
        begun.resolve(rows[0]?.pid ?? 0)
        await tx.query(sql('SELECT pg_sleep(30)'))
      })
      .catch((error: unknown) => error)
    const pid = await begun.promise
    const holding = Promise.withResolvers<void>()
    const held = database.transaction(async () => {
      holding.resolve()
      await done.promise
    })
    await holding.promise
    await setRole('second')
    const waiting = database.query(sql('SELECT 1')).catch((error: unknown) => error)
    await expect.poll(() => database.use()).toEqual({ used: 2, idle: 0, waiting: 1 })
    pass(5_000)
    await admin.query(sql(`SELECT pg_terminate_backend(${pid})`))
    expect(await waiting).toMatchObject(REFUSED)
    expect(await ended).toMatchObject({ cause: { code: '57P01' } })
    done.resolve()
    await held
  })
})
