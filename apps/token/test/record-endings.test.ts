import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { followDirectory, PostgresDirectoryFeed } from '../src/revocation/follow-epochs.ts'
import { type NewEnding, recordEndings } from '../src/revocation/record-endings.ts'
import { type GrantEnvironment, type Replica, startGrantEnvironment } from './fixtures/grant-environment.ts'

let environment: GrantEnvironment
let replica: Replica
beforeAll(async () => {
  environment = await startGrantEnvironment()
  replica = environment.replica()
})
beforeEach(async () => {
  await environment.sql('DELETE FROM grants.revocation')
  await environment.sql('DELETE FROM directory.ending_change')
})
afterAll(() => environment?.stop())

const record = (...endings: readonly NewEnding[]) =>
  environment.database.transaction((tx) => recordEndings(tx, endings))
const rows = () =>
  environment.sql(`SELECT kind, id, value, round(extract(epoch FROM until - clock_timestamp()))::int AS seconds_left
               FROM grants.revocation ORDER BY kind, id`)

describe('recordEndings', () => {
  it('keeps endings for the longest lifetime of an access token and a minute', async () => {
    const [ended] = await record({ kind: 's', id: 'session', value: 1 })
    expect(ended).toMatchObject({ kind: 's', id: 'session', value: 1 })
    expect(ended?.secondsLeft).toBeCloseTo(86_460, -1)
    const [row] = await rows()
    expect(row?.seconds_left).toBeGreaterThan(86_450)
  })

  it('keeps an access token until a minute after its own end', async () => {
    const expiresAt = Math.floor(Date.now() / 1_000) + 600
    const [ended] = await record({ kind: 't', id: 'token', value: 1, expiresAt })
    expect(ended?.secondsLeft).toBeGreaterThan(650)
    expect(ended?.secondsLeft).toBeLessThanOrEqual(661)
  })

  it('keeps an access token whose end is past for a minute, by the clock of PostgreSQL', async () => {
    const expiresAt = Math.floor(Date.now() / 1_000) - 7_200
    const [ended] = await record({ kind: 't', id: 'token', value: 1, expiresAt })
    expect(ended?.secondsLeft).toBeGreaterThan(50)
    expect(ended?.secondsLeft).toBeLessThanOrEqual(60)
  })

  it('keeps the higher epoch in any order, and returns it each time', async () => {
    for (const value of [3, 5, 4]) {
      const [ended] = await record({ kind: 'c', id: 'web', value })
      expect(ended?.value).toBe(value === 3 ? 3 : 5)
    }
    expect(await rows()).toMatchObject([{ kind: 'c', id: 'web', value: 5 }])
  })

  it('writes the transaction of a repetition, so that polls find it again', async () => {
    const xid = async () => (await environment.sql('SELECT xid::text FROM grants.revocation'))[0]?.xid
    await record({ kind: 's', id: 'session', value: 1 })
    const first = await xid()
    await record({ kind: 's', id: 'session', value: 1 })
    expect(await xid()).not.toBe(first)
  })

  it('lets concurrent calls with endings in common all succeed, each in an order of its own', async () => {
    const ids = Array.from({ length: 40 }, (_, n) => `client-${n}`)
    const raise = (value: number) => {
      const inOrder = value % 2 === 0 ? ids : ids.toReversed()
      return record(...inOrder.map((id) => ({ kind: 'c' as const, id, value })))
    }
    await Promise.all(Array.from({ length: 40 }, (_, n) => raise(n + 1)))
    expect(new Set((await rows()).map(({ value }) => value))).toEqual(new Set([40]))
  })

  it.each([
    ['no id', { kind: 's', id: '', value: 1 }],
    ['a value of 0', { kind: 'u', id: 'alice', value: 0 }],
    ['a key', { kind: 'k' as 's', id: 'key', value: 1 }],
  ] as const)('rejects %s', async (_, ending) => {
    await expect(record(ending)).rejects.toThrow('violates check constraint')
  })
})

describe('endKey', () => {
  it('records a revoked key without expiry, and once when repeated', async () => {
    for (let round = 0; round < 2; round += 1) {
      expect(await replica.endings.endKey('key')).toEqual({
        kind: 'k',
        id: 'key',
        value: 1,
        secondsLeft: Number.POSITIVE_INFINITY,
      })
    }
    expect(
      await environment.sql(
        `SELECT kind, id, isfinite(until) AS ends FROM grants_read.revocation_v1 WHERE kind = 'k'`,
      ),
    ).toEqual([{ kind: 'k', id: 'key', ends: false }])
  })
})

describe('followDirectory', () => {
  const raise = (kind: string, id: string, value: number) =>
    environment.sql('INSERT INTO directory.ending_change (kind, id, value) VALUES ($1, $2, $3)', [
      kind,
      id,
      value,
    ])

  /** A follower and what it published, in order. */
  function follower() {
    const published: string[] = []
    const feed = new PostgresDirectoryFeed(environment.database)
    const poll = () =>
      followDirectory({
        feed,
        endings: replica.endings,
        now: () => new Date(),
        async endByDirectory(endings) {
          published.push(...endings.map(({ kind, id, epoch }) => `${kind} ${id} ${epoch}`))
          await replica.endings.endByDirectory(endings, new Date())
        },
      })
    return { published, poll }
  }

  it('records and publishes endings that the directory committed without a call', async () => {
    const { published, poll } = follower()
    await raise('u', 'alice', 2)
    await raise('p', 'alice token', 1)
    await poll()
    expect(published.toSorted()).toEqual(['p alice token 1', 'u alice 2'])
    expect(await rows()).toMatchObject([{ id: 'alice token' }, { id: 'alice', value: 2 }])
  })

  it('does not write endings again that the call of the directory recorded', async () => {
    const { published, poll } = follower()
    await raise('u', 'alice', 3)
    await raise('u', 'bob', 3)
    await record({ kind: 'u', id: 'alice', value: 3 }, { kind: 'u', id: 'bob', value: 2 })
    await poll()
    expect(published).toEqual(['u bob 3'])
  })

  it('reads endings again that could not be published', async () => {
    const { published, poll } = follower()
    await poll()
    await raise('c', 'web', 2)
    await environment.sql('ALTER TABLE grants.revocation RENAME TO away')
    await expect(poll()).rejects.toThrow()
    await environment.sql('ALTER TABLE grants.away RENAME TO revocation')
    await poll()
    expect(published).toEqual(['c web 2'])
  })

  it('finds an ending whose commit becomes visible after later ones', async () => {
    const { published, poll } = follower()
    const written = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const late = environment.adminTransaction(async (sql) => {
      await sql("INSERT INTO directory.ending_change (kind, id, value) VALUES ('u', 'late', 1)")
      written.resolve()
      await commit.promise
    })
    await written.promise
    await raise('u', 'early', 1)
    await poll()
    expect(published).toEqual(['u early 1'])
    commit.resolve()
    await late
    await poll()
    expect(published).toEqual(['u early 1', 'u late 1'])
  })

  it('reads rows with transaction ids of another server once, not in every poll', async () => {
    const { published, poll } = follower()
    await environment.sql(
      `INSERT INTO directory.ending_change (kind, id, value, xid) VALUES ('u', 'carried', 1, '99999999')`,
    )
    for (let round = 0; round < 3; round += 1) {
      await environment.sql('DELETE FROM grants.revocation')
      await poll()
    }
    expect(published).toEqual(['u carried 1'])
  })
})
