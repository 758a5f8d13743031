import type { Queryable, Rows, Statement } from '@signet/platform/postgres/pool'
import { ENDING_SECONDS, type Ending, LOG_KEY } from '@signet/revocation-reader/endings'
import { MOST_WAITING_CHECKS } from '@signet/revocation-reader/revocation-database'
import type { TestDatabase } from '@signet/testing/postgres-fixture'
import { startRedisProcess } from '@signet/testing/redis-process'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createReaderDatabase,
  endOf,
  newToken,
  type ReaderEnvironment,
  SOON,
  startReaderEnvironment,
  untilSetAnswers,
  type WatchedReader,
} from './fixtures/reader-environment.ts'

let database: TestDatabase
let environment: ReaderEnvironment
beforeAll(async () => {
  database = await createReaderDatabase()
})
afterAll(() => database?.drop())
beforeEach(async () => {
  environment = await startReaderEnvironment(database)
})
afterEach(() => environment.stop())

/** A reader whose set answers, on a log that it follows. */
async function answering(options: Parameters<ReaderEnvironment['reader']>[0] = {}) {
  const writer = await environment.writer()
  await writer.openLog()
  const reader = await environment.reader(options)
  await untilSetAnswers(reader)
  return { writer, reader }
}

/** Replaces the rows of the statements with a name, and may do something before they are sent. */
function intercepted(
  name: string,
  change: (send: () => Promise<Rows<unknown>>) => Promise<Rows<unknown>>,
): (database: Queryable) => Queryable {
  return (database) => ({
    query<R>(statement: Statement) {
      const send = () => database.query<R>(statement)
      return (statement.name === name ? change(send) : send()) as Promise<Rows<R>>
    },
  })
}

/** Milliseconds that a test moves on, besides those that pass. */
function movableElapsed() {
  let moved = 0
  return {
    elapsed: () => performance.now() + moved,
    advance: (seconds: number) => {
      moved += seconds * 1_000
    },
  }
}

const sql = (text: string) => environment.database.query({ name: '', text })

describe('poll', () => {
  it('finds a row that becomes visible after later ones', async () => {
    const { reader } = await answering()
    const [late, early] = [newToken(), newToken()]
    await environment.database.transaction(async (tx) => {
      await environment.record([endOf(late)], tx)
      await environment.record([endOf(early)])
      await reader.poll()
      await reader.poll()
      expect(await endedBySet(reader, early)).toBe(true)
      expect(await endedBySet(reader, late)).toBe(false)
    })
    await reader.poll()
    expect(await endedBySet(reader, late)).toBe(true)
  })

  it('finds more rows than a page holds, of one transaction and of many', async () => {
    const { reader } = await answering()
    const of = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, n) => ({ organizations: [], tokenId: `${prefix}-${n}` }))
    const bursts = [of('first', 5_000), of('second', 5_000), of('third', 9_000)]
    const many = of('many', 300)
    const tokens = [...bursts.flat(), ...many]
    for (const burst of bursts) {
      await environment.record(burst.map(endOf))
      await reader.poll()
    }
    for (const token of many) await environment.record([endOf(token)])
    await reader.poll()
    for (const token of tokens) if (!(await reader.isEnded(token))) throw new Error(`missed ${token.tokenId}`)
    expect(reader.statements('revocation.load')).toBe(1)
  })

  it('uses the index on xid', async () => {
    const text = await statementText('revocation.poll')
    const plan = await environment.database.transaction(async (tx) => {
      await tx.query({ name: '', text: 'SET LOCAL enable_seqscan = off' })
      await tx.query({ name: '', text: 'SET LOCAL enable_bitmapscan = off' })
      await tx.query({ name: '', text: 'SET LOCAL plan_cache_mode = force_generic_plan' })
      return tx.query<{ 'QUERY PLAN': string }>({
        name: '',
        text: `EXPLAIN ${text}`,
        values: ['100:100:', 2_000],
      })
    })
    const lines = plan.rows.map((row) => row['QUERY PLAN'])
    expect(lines.filter((line) => /Seq Scan on revo|_pkey|\d_kind_id/.test(line))).toEqual([])
    expect(lines.filter((line) => /Index Scan .*xid/.test(line)).length).toBeGreaterThan(4)
  })

  it('counts a server in recovery as no poll and reports it once', async () => {
    const { elapsed, advance } = movableElapsed()
    let isStandby = false
    const { reader } = await answering({
      elapsed,
      between: intercepted('revocation.poll', async (send) => {
        const { rows, rowCount } = await send()
        return { rowCount, rows: rows.map((row) => ({ ...(row as object), in_recovery: isStandby })) }
      }),
    })
    isStandby = true
    for (let n = 0; n < 3; n += 1) await expect(reader.poll()).rejects.toThrow('in recovery')
    advance(11)
    expect(await queriesFor(reader, newToken())).toBe(1)
    isStandby = false
    await reader.poll()
    expect(await queriesFor(reader, newToken())).toBe(0)
  })

  it('uses the set for the configured time after its last successful poll, and no longer', async () => {
    const { elapsed, advance } = movableElapsed()
    let isAway = false
    const { reader } = await answering({
      elapsed,
      stalenessSeconds: 60,
      between: intercepted('revocation.poll', (send) =>
        isAway ? Promise.reject(new Error('away')) : send(),
      ),
    })
    isAway = true
    advance(50)
    expect(await queriesFor(reader, newToken())).toBe(0)
    expect(reader.pollAge()).toBeGreaterThanOrEqual(50)
    advance(10)
    expect(await queriesFor(reader, newToken())).toBe(1)
    expect(
      reader.reports.filter((report) => report.startsWith('revocation_poll_failed')).length,
    ).toBeLessThan(2)
  })
})

describe('load', () => {
  it('has endings committed before its snapshot, and between its snapshot and its pages', async () => {
    const [before, between] = [newToken(), newToken()]
    await environment.record([endOf(before)])
    let committed = false
    const { reader } = await answering({
      between: intercepted('revocation.count', async (send) => {
        await environment.record([endOf(between)])
        committed = true
        return send()
      }),
    })
    expect(committed).toBe(true)
    for (const token of [before, between]) expect(await queriesFor(reader, token)).toBe(0)
    for (const token of [before, between]) expect(await reader.isEnded(token)).toBe(true)
  })

  it('reads many pages', async () => {
    const tokens = Array.from({ length: 5_000 }, () => newToken())
    await environment.record(tokens.map(endOf))
    const { reader } = await answering()
    for (const token of tokens) expect(await reader.isEnded(token)).toBe(true)
    expect(reader.statements('revocation.any_ended')).toBeLessThan(100)
  })

  it('is incomplete above the bound: checks query PostgreSQL until the next count, and revoked keys are known', async () => {
    const { elapsed, advance } = movableElapsed()
    const tokens = Array.from({ length: 20 }, () => newToken())
    await environment.record(tokens.map(endOf))
    await sql(`INSERT INTO grants.revoked_key (kid) VALUES ('leaked')`)
    await (await environment.writer()).openLog()
    const reader = await environment.reader({ maxEndings: 10, elapsed })
    for (let n = 0; n < 3; n += 1) await reader.poll()
    expect(reader.isKeyRevoked('leaked')).toBe(true)
    expect(await queriesFor(reader, newToken())).toBe(1)
    for (const token of tokens) expect(await reader.isEnded(token)).toBe(true)
    expect(reader.statements('revocation.load')).toBe(0)
    expect(reader.statements('revocation.count')).toBe(1)
    await sql('DELETE FROM grants.revocation')
    await reader.poll()
    expect(reader.statements('revocation.count')).toBe(1)
    advance(601)
    await untilSetAnswers(reader)
  })

  it('is given up when the set fills meanwhile, by the log as by a poll', async () => {
    const { writer, reader } = await answering({ maxEndings: 10 })
    const tokens = Array.from({ length: 20 }, () => newToken())
    await writer.end(tokens.map(endOf))
    for (const token of [...tokens, newToken()]) {
      expect(await reader.isEnded(token)).toBe(tokens.includes(token))
    }
    await reader.poll()
    expect(await queriesFor(reader, newToken())).toBe(1)
  })

  it('begins again at most each 30 seconds', async () => {
    const { elapsed, advance } = movableElapsed()
    let server = 'first'
    const { reader } = await answering({
      elapsed,
      random: (bytes) => Buffer.alloc(bytes),
      between: intercepted('revocation.poll', async (send) => {
        const { rows, rowCount } = await send()
        return { rowCount, rows: rows.map((row) => ({ ...(row as object), server })) }
      }),
    })
    for (server of ['second', 'third', 'fourth']) await reader.poll()
    expect(reader.statements('revocation.load')).toBe(1)
    expect(await queriesFor(reader, newToken())).toBe(1)
    advance(31)
    await untilSetAnswers(reader)
    expect(reader.statements('revocation.load')).toBe(2)
  })
})

describe('another history of PostgreSQL', () => {
  it.each<[string, object]>([
    ['another server or timeline', { server: '7 00000002' }],
    ['an older xmax', { xmax: '3' }],
  ])('%s causes a load, and ended tokens stay ended', async (_, changed) => {
    const { elapsed, advance } = movableElapsed()
    let change: object = {}
    let others = 0
    const { reader } = await answering({
      elapsed,
      observer: { otherHistory: () => void others++ },
      between: intercepted('revocation.poll', async (send) => {
        const { rows, rowCount } = await send()
        return { rowCount, rows: rows.map((row) => ({ ...(row as object), ...change })) }
      }),
    })
    const token = newToken()
    await environment.record([endOf(token)])
    await reader.poll()
    expect(await queriesFor(reader, token)).toBe(0)
    await sql('DELETE FROM grants.revocation')
    change = changed
    await reader.poll()
    expect(others).toBe(1)
    expect(await reader.isEnded(token)).toBe(true)
    expect(await queriesFor(reader, newToken())).toBe(1)
    advance(61)
    await untilSetAnswers(reader)
    expect(reader.statements('revocation.load')).toBe(2)
    expect(await reader.isEnded(token)).toBe(true)
  })

  it('another generation causes a load, and revokes tokens of a lower one', async () => {
    let others = 0
    const { reader } = await answering({ observer: { otherHistory: () => void others++ } })
    await sql('UPDATE grants.generation SET value = 1700000000')
    // A query knows the new generation before the next poll.
    await environment.redis.kill()
    expect(await reader.isEnded(newToken())).toBe(true)
    await reader.poll()
    expect(others).toBe(1)
    expect(await reader.isEnded({ ...newToken(), generation: 1_699_999_999 })).toBe(true)
    expect(await reader.isEnded({ ...newToken(), generation: 1_700_000_000 })).toBe(false)
  })
})

describe('check', () => {
  it('asks for all that wait in one query', async () => {
    const reader = await environment.reader({ log: false })
    await reader.poll()
    const tokens = Array.from({ length: 200 }, () => newToken())
    const ended = tokens.filter((_, n) => n % 3 === 0)
    await environment.record(ended.map(endOf))
    const before = reader.statements('revocation.any_ended')
    const answers = await Promise.all(tokens.map((token) => reader.isEnded(token)))
    expect(answers).toEqual(tokens.map((token) => ended.includes(token)))
    expect(reader.statements('revocation.any_ended')).toBe(before + 1)
  })

  it('does not join a query that was sent before', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let sent = 0
    const reader = await environment.reader({
      log: false,
      between: intercepted('revocation.any_ended', async (send) => {
        const rows = await send()
        sent += 1
        await held
        return rows
      }),
    })
    const token = newToken()
    const early = reader.isEnded(token)
    await expect.poll(() => sent, SOON).toBe(1)
    await environment.record([endOf(token)])
    const late = reader.isEnded(token)
    release()
    expect(await early).toBe(false)
    expect(await late).toBe(true)
  })

  it('is refused when too many wait', async () => {
    const reader = await environment.reader({ log: false })
    await reader.isEnded(newToken())
    const refusals: unknown[] = []
    const checks = await environment.database.transaction(async (tx) => {
      await tx.query({ name: '', text: 'LOCK TABLE grants.revocation IN ACCESS EXCLUSIVE MODE' })
      const first = reader.isEnded(newToken())
      await expect.poll(() => reader.statements('revocation.any_ended'), SOON).toBe(2)
      const others = Array.from({ length: MOST_WAITING_CHECKS + 20 }, () =>
        reader.isEnded(newToken()).catch((error: unknown) => void refusals.push(error)),
      )
      await expect.poll(() => refusals.length, SOON).toBe(20)
      return [first, ...others]
    })
    const answers = await Promise.all(checks)
    expect(answers.filter((answer) => answer === false)).toHaveLength(MOST_WAITING_CHECKS + 1)
    for (const refusal of refusals)
      expect(refusal).toMatchObject({ status: 503, reason: 'revocation_checks_exhausted' })
    expect(await reader.isEnded(newToken())).toBe(false)
  })

  it('without Redis and PostgreSQL reports endings of the set and rejects other checks', async () => {
    const { writer, reader } = await answering()
    const [ended, polled, alive] = [newToken(), newToken(), newToken()]
    await writer.end([endOf(ended)])
    await environment.record([endOf(polled)])
    expect(await reader.isEnded(ended)).toBe(true)
    await reader.poll()
    await environment.redis.kill()
    await sql('ALTER VIEW grants_read.revocation_v1 RENAME TO gone')
    try {
      for (const token of [ended, polled]) expect(await reader.isEnded(token)).toBe(true)
      await expect(reader.isEnded(alive)).rejects.toMatchObject({
        status: 503,
        reason: 'revocation_check_failed',
      })
    } finally {
      await sql('ALTER VIEW grants_read.gone RENAME TO revocation_v1')
    }
  })

  it('without Redis is a query, right both ways', async () => {
    const { reader } = await answering()
    const [ended, alive] = [newToken(), newToken()]
    await environment.record([endOf(ended)])
    await environment.redis.kill()
    expect(await Promise.all([reader.isEnded(ended), reader.isEnded(alive)])).toEqual([true, false])
  })

  it('that was begun before its keys were known has each ending published before, with Redis and without', async () => {
    const { writer, reader } = await answering()
    const [ended, alive, later] = [newToken(), newToken(), newToken()]
    await writer.end([endOf(ended)])
    const isEnded = reader.begin()
    expect(await Promise.all([isEnded(ended), isEnded(alive)])).toEqual([true, false])
    await writer.end([endOf(later)])
    const begunBefore = reader.begin()
    await environment.redis.kill()
    const begunAfter = reader.begin()
    for (const check of [begunBefore, begunAfter])
      expect(await Promise.all([check(ended), check(later), check(alive)])).toEqual([true, true, false])
  })

  it('with the log off is always a query, and revoked keys are known', async () => {
    await sql(`INSERT INTO grants.revoked_key (kid) VALUES ('leaked')`)
    await environment.redis.kill()
    const reader = await answeringWithoutLog()
    const token = newToken()
    expect(await queriesFor(reader, token)).toBe(1)
    await environment.record([endOf(token)])
    expect(await reader.isEnded(token)).toBe(true)
    expect(reader.isKeyRevoked('leaked')).toBe(true)
    expect(reader.isKeyRevoked('other')).toBe(false)
    expect(reader.reports).toEqual([])
  })

  async function answeringWithoutLog(): Promise<WatchedReader> {
    const redis = await startRedisProcess()
    const reader = await environment.reader({ log: false }, redis.url)
    await redis.drop()
    await reader.poll()
    return reader
  }

  it('sees a deposed primary contradicted by the next poll', async () => {
    const { reader } = await answering()
    const promoted = await startRedisProcess()
    try {
      const writer = await environment.writer(promoted.url)
      await writer.openLog()
      const token = newToken()
      await reader.poll()
      await writer.end([endOf(token)])
      await reader.poll()
      expect(await reader.isEnded(token)).toBe(true)
      const unpolled = newToken()
      await writer.end([endOf(unpolled)])
      await expect.poll(() => reader.isEnded(unpolled), SOON).toBe(true)
    } finally {
      await promoted.drop()
    }
  })

  it('revokes tokens of a lower epoch, and epochs never fall [fault.wider-not-before]', async () => {
    const { writer, reader } = await answering()
    const made = (epoch: number) => [
      { ...newToken(), user: { id: 'alice', epoch } },
      { ...newToken(), client: { id: 'web', epoch } },
      {
        ...newToken(),
        organizations: [
          { id: 'other', epoch: 0 },
          { id: 'acme', epoch },
        ],
      },
    ]
    const ends = (value: number): Ending[] =>
      (
        [
          ['u', 'alice'],
          ['c', 'web'],
          ['o', 'acme'],
        ] as const
      ).map(([kind, id]) => ({ kind, id, value, secondsLeft: ENDING_SECONDS }))
    const all = (answer: boolean) => [answer, answer, answer]
    const asked = (epoch: number) => Promise.all(made(epoch).map((token) => reader.askLog(token)))
    await expect.poll(() => asked(0), SOON).toEqual(all(false))
    for (const epoch of [1, 2, 5]) {
      await writer.end(ends(epoch))
      expect(await asked(epoch - 1), `below ${epoch}`).toEqual(all(true))
      expect(await asked(epoch), `${epoch}`).toEqual(all(false))
    }
    // A replica that is late with what it published.
    await writer.append(ends(3))
    expect(await asked(4)).toEqual(all(true))
    expect(await asked(5)).toEqual(all(false))
  })

  it('reports an outage of Redis once and its end once', async () => {
    const { reader } = await answering()
    environment.redis.freeze()
    const checks = Array.from({ length: 50 }, () => reader.isEnded(newToken()))
    await expect.poll(() => reader.reports, { ...SOON, interval: 5 }).not.toEqual([])
    // At once: other commands are given up after 2 s, which would be reported too.
    environment.redis.thaw()
    await Promise.all(checks)
    await untilSetAnswers(reader)
    expect(reader.reports).toEqual([
      'revocation_log_unavailable: Redis was silent for 100 ms; PostgreSQL is asked instead',
      'revocation_log_available',
    ])
  })
})

it('passes the endings of polls and of the log to its observer', async () => {
  const polled: string[] = []
  const logged: string[] = []
  const { writer, reader } = await answering({
    observer: {
      polled: (endings) => void polled.push(...endings.map(({ id }) => id)),
      logged: (endings) => void logged.push(...endings.map(({ id }) => id)),
    },
  })
  const token = newToken()
  await writer.end([endOf(token)])
  await reader.isEnded(newToken())
  await reader.poll()
  expect([logged, polled]).toEqual([[token.tokenId], [token.tokenId]])
  expect(await environment.redis.admin.xlen(LOG_KEY)).toBe(2)
})

/** Whether a check is answered "ended"; "not ended" only when the set decided. */
async function endedBySet(reader: WatchedReader, token: ReturnType<typeof newToken>): Promise<boolean> {
  const before = reader.statements('revocation.any_ended')
  const isEnded = await reader.isEnded(token)
  expect(reader.statements('revocation.any_ended')).toBe(before)
  return isEnded
}

async function queriesFor(reader: WatchedReader, token: ReturnType<typeof newToken>): Promise<number> {
  const before = reader.statements('revocation.any_ended')
  await reader.isEnded(token)
  return reader.statements('revocation.any_ended') - before
}

/** The text of a statement as a reader sends it. */
async function statementText(name: string): Promise<string> {
  let text = ''
  const reader = await environment.reader({
    between: (database) => ({
      query<R>(statement: Statement) {
        if (statement.name === name) text = statement.text
        return database.query<R>(statement)
      },
    }),
  })
  await reader.poll()
  return text
}

it('returns ended for an ending that the log has and PostgreSQL lost before the reader began', async () => {
  const writer = await environment.writer()
  await writer.openLog()
  const token = newToken()
  await writer.append([endOf(token)])
  const reader = await environment.reader()
  await untilSetAnswers(reader)
  expect(await reader.isEnded(token)).toBe(true)
})
