import type { Database, Queryable } from '@signet/platform/postgres/pool'
import { size } from '@signet/testing/sizes'
import { watchedTransaction } from '@signet/testing/watched-transaction'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NewGrant, RotateResult, Rotation } from '../src/grant-store.ts'
import { PostgresGrantStore } from '../src/grants/grant.repository.ts'
import {
  type GrantEnvironment,
  type Replica,
  rotationOf,
  startGrantEnvironment,
  WINDOWS,
} from './fixtures/grant-environment.ts'

let environment: GrantEnvironment
let replicas: readonly [Replica, Replica]
beforeAll(async () => {
  environment = await startGrantEnvironment()
  replicas = [environment.replica(), environment.replica()]
})
afterAll(() => environment?.stop())

const grants = () => replicas[0].grants
/** The same call by many, taking turns between two replicas. */
const contend = <T>(call: (replica: Replica) => Promise<T>) =>
  Promise.all(Array.from({ length: size('contenders') }, (_, n) => call(replicas[n % 2 === 0 ? 0 : 1])))

async function redeemed(overrides: Partial<NewGrant> = {}): Promise<NewGrant> {
  const { grant, redemption } = environment.newGrant(overrides)
  expect(await grants().redeem(redemption, grant)).toEqual({ outcome: 'redeemed' })
  return grant
}

/** A database that has this one connection. */
const alone = (tx: Queryable): Database => ({
  query: (statement) => tx.query(statement),
  transaction: (work) => work(watchedTransaction(tx)),
  close: async () => undefined,
})

/**
 * How often `work` reads the grants' partitions by which kind of index, or whole. Uses the statistics of its
 * own transaction: the shared ones arrive up to a second late and include other tests.
 */
async function scansOf(work: (tx: Queryable) => Promise<unknown>): Promise<Record<string, number>> {
  return environment.database.transaction(async (tx) => {
    const scans = async () => {
      const { rows } = await tx.query({
        name: '',
        text: `SELECT by, sum(pg_stat_get_xact_numscans(read.oid))::integer AS times
                 FROM pg_class t LEFT JOIN pg_index x ON x.indrelid = t.oid LEFT JOIN pg_class i ON i.oid = x.indexrelid,
                      LATERAL (VALUES (t.oid, 'whole'), (i.oid, regexp_replace(i.relname, '^.*_\\d+_', ''))) AS read (oid, by)
                WHERE t.relkind = 'r' AND t.relname ~ '^authorization_grant_\\d' GROUP BY 1`,
      })
      return rows.map(({ by, times }) => [String(by), Number(times)] as const)
    }
    const before = new Map(await scans())
    await work(tx)
    const grown = (await scans()).map(([by, times]) => [by, times - (before.get(by) ?? 0)] as const)
    return Object.fromEntries(grown.filter(([, times]) => times > 0))
  })
}

describe('redeem', () => {
  it('of any number of calls for one code exactly one wins, and the others learn its grant [F-05]', async () => {
    const { redemption } = environment.newGrant()
    const answers = await contend(async ({ grants }) => {
      const { grant } = environment.newGrant()
      return { grant, result: await grants.redeem(redemption, grant) }
    })
    const winners = answers.filter(({ result }) => result.outcome === 'redeemed')
    expect(winners).toHaveLength(1)
    for (const { result } of answers.filter((answer) => !winners.includes(answer))) {
      expect(result).toEqual({ outcome: 'replayed', grantId: winners[0]?.grant.grantId })
    }
    const rows = await environment.sql(
      'SELECT grant_id FROM grants.authorization_grant WHERE grant_id = ANY ($1)',
      [answers.map(({ grant }) => grant.grantId)],
    )
    expect(rows).toEqual([{ grant_id: winners[0]?.grant.grantId }])
  })

  it('redeems no code under an ended session, and the code stays unused', async () => {
    const { grant, redemption } = environment.newGrant()
    await replicas[1].endings.endSessions([{ sid: grant.sid, userId: 'alice' }], new Date(), {})
    expect(await grants().redeem(redemption, grant)).toEqual({ outcome: 'ended' })
    expect(
      await environment.sql('SELECT FROM grants.code_redemption WHERE code_id = $1', [redemption.codeId]),
    ).toEqual([])
  })

  it.each([
    ['the user', { user: { id: 'alice', epoch: -1 } }],
    ['the application', { client: { id: 'web', epoch: -1 } }],
    ["the user's organization", { userOrganization: { id: 'acme', epoch: -1 } }],
    ["the application's organization", { clientOrganization: { id: 'acme', epoch: -1 } }],
    ['a user who is gone', { user: { id: 'nobody', epoch: 0 } }],
    ['an application that is gone', { clientId: 'gone', client: { id: 'gone', epoch: 0 } }],
  ])('refuses an epoch behind that of %s', async (_, stale) => {
    const { grant, redemption } = environment.newGrant(stale)
    expect(await grants().redeem(redemption, grant)).toEqual({ outcome: 'ended' })
  })
})

describe('rotate', () => {
  it('of any number of calls for one counter exactly one rotates, the others repeat it [F-19] [fault.refresh-race]', async () => {
    const grant = await redeemed()
    const answers = await contend(({ grants }) => grants.rotate(rotationOf(grant, 0), WINDOWS))
    expect(answers.filter(({ outcome }) => outcome === 'rotated')).toHaveLength(1)
    expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(['rotated', 'repeated']))
    for (const answer of answers)
      expect(answer).toMatchObject({ counter: 1, grant: { grantId: grant.grantId } })
  })

  it('of a family that keeps its token every call gets it at once, moves the idle end and closes the retry window', async () => {
    const grant = await redeemed({ idleEnd: new Date(Date.now() + 60_000) })
    const keeping = (counter: number) => ({ ...rotationOf(grant, counter), rotates: false })
    await grants().rotate(rotationOf(grant, 0), WINDOWS)
    const before = await grants().rotate(keeping(0), WINDOWS)
    expect(before).toMatchObject({ outcome: 'repeated', counter: 1 })
    const wide = { ...WINDOWS, idleMs: 300_000 }
    for (const answer of await contend(({ grants }) => grants.rotate(keeping(1), wide)))
      expect(answer).toMatchObject({ outcome: 'rotated', counter: 1 })
    const rows = await environment.sql(
      `SELECT idle_end > clock_timestamp() + interval '200 seconds' AS moved FROM grants.authorization_grant WHERE grant_id = $1`,
      [grant.grantId],
    )
    expect(rows).toEqual([{ moved: true }])
    expect(await grants().rotate(keeping(0), WINDOWS)).toMatchObject({ outcome: 'reused' })
    expect(await grants().rotate(rotationOf(grant, 1), WINDOWS)).toMatchObject({ counter: 2 })
  })

  it('moves the idle end with a rotation only, and never beyond the absolute end', async () => {
    const grant = await redeemed({
      absoluteEnd: new Date(Date.now() + 600_000),
      idleEnd: new Date(Date.now() + 60_000),
    })
    const idleEnd = async () =>
      (
        await environment.sql(
          'SELECT idle_end, absolute_end FROM grants.authorization_grant WHERE grant_id = $1',
          [grant.grantId],
        )
      )[0]
    await grants().rotate(rotationOf(grant, 0), { ...WINDOWS, idleMs: 120_000 })
    const rotated = await idleEnd()
    expect(Number(rotated?.idle_end)).toBeGreaterThan(grant.idleEnd.getTime())
    await grants().rotate(rotationOf(grant, 0), { ...WINDOWS, idleMs: 300_000 })
    expect(await idleEnd()).toEqual(rotated)
    await grants().rotate(rotationOf(grant, 1), WINDOWS)
    const capped = await idleEnd()
    expect(capped?.idle_end).toEqual(capped?.absolute_end)
  })

  it('reads a row by its primary key among many of one application, in a partition that was never analysed', async () => {
    const families = await Promise.all(Array.from({ length: 20 }, () => redeemed()))
    const read = await scansOf(async (tx) => {
      const store = new PostgresGrantStore(alone(tx))
      for (const counter of [0, 1]) {
        for (const family of families) await store.rotate(rotationOf(family, counter), WINDOWS)
        for (const family of families) await store.rotate(rotationOf(family, counter), WINDOWS)
      }
    })
    // A rotation finds its row and changes it; a repetition looks for one to rotate, alone as well, and then finds its own.
    expect(read).toEqual({ pkey: 20 * 2 * (2 + 3) })
  })

  describe('of many families at once', () => {
    const families = (count: number) => Promise.all(Array.from({ length: count }, () => redeemed()))
    const outcomesOf = async (calls: readonly Promise<RotateResult>[]) =>
      (await Promise.all(calls)).map(({ outcome }) => outcome)

    it('is one statement, which reads each row by its primary key in a partition that was never analysed', async () => {
      const many = await families(20)
      const asked: string[] = []
      const read = await scansOf((tx) => {
        const store = new PostgresGrantStore({
          ...alone(tx),
          query: (statement) => {
            asked.push(statement.name)
            return tx.query(statement)
          },
        })
        return Promise.all(many.map((family) => store.rotate(rotationOf(family, 0), WINDOWS)))
      })
      expect(asked).toEqual([expect.stringMatching(/^authorization_grant\.rotate_many_\d+$/)])
      // Once to find and hold each row, and at most once more to change it.
      expect(read).toEqual({ pkey: expect.toSatisfy((times: number) => times > 20 && times <= 2 * 20) })
    })

    it('is decided for each as if it were alone', async () => {
      const [whole, repeated, reused, ended, idle, others, otherKey, ahead] = await families(8)
      if (!whole || !repeated || !reused || !ended || !idle || !others || !otherKey || !ahead)
        throw new Error()
      await grants().rotate(rotationOf(repeated, 0), WINDOWS)
      await grants().rotate(rotationOf(reused, 0), WINDOWS)
      await grants().rotate(rotationOf(reused, 1), WINDOWS)
      const change = (set: string, { grantId }: NewGrant) =>
        environment.sql(`UPDATE grants.authorization_grant SET ${set} WHERE grant_id = $1`, [grantId])
      await change(`ended_at = clock_timestamp(), end_reason = 'test'`, ended)
      await change(`idle_end = clock_timestamp() - interval '1 second'`, idle)
      const rotations = [
        rotationOf(whole, 0),
        rotationOf(repeated, 0),
        rotationOf(reused, 0),
        rotationOf(ended, 0),
        rotationOf(idle, 0),
        { ...rotationOf(others, 0), clientId: 'keeping' },
        { ...rotationOf(otherKey, 0), refreshKid: 'm2' },
        rotationOf(ahead, 1),
      ]
      expect(await outcomesOf(rotations.map((rotation) => grants().rotate(rotation, WINDOWS)))).toEqual([
        'rotated',
        'repeated',
        'reused',
        'refused',
        'refused',
        'refused',
        'refused',
        'refused',
      ])
      for (const family of [others, otherKey, ahead]) {
        expect(await grants().rotate(rotationOf(family, 0), WINDOWS)).toMatchObject({ outcome: 'rotated' })
      }
    })

    it.each<[string, Partial<Rotation>, RotateResult['outcome']]>([
      ['with an old token', { counter: 0 }, 'reused'],
      ['of another client', { clientId: 'keeping' }, 'refused'],
      ['under another key', { refreshKid: 'm2' }, 'refused'],
    ])(
      'a call %s does not get the result of a permitted call for the same family',
      async (_, change, outcome) => {
        for (const order of ['before', 'after']) {
          const family = await redeemed()
          for (const counter of [0, 1]) await grants().rotate(rotationOf(family, counter), WINDOWS)
          const good = rotationOf(family, 2)
          const bad = { ...good, ...change }
          const asked = order === 'before' ? [bad, good] : [good, bad]
          const answers = await outcomesOf(asked.map((rotation) => grants().rotate(rotation, WINDOWS)))
          expect(answers).toEqual(order === 'before' ? [outcome, 'rotated'] : ['rotated', outcome])
        }
      },
    )

    it.each([true, false])(
      'a call whose audience was not checked does not get the result of one whose was; rotates: %s',
      async (rotates) => {
        const scopes = ['openid', 'offline_access', 'urn:service:iam:org:project:id:other:aud']
        for (const order of ['before', 'after']) {
          const family = await redeemed({ scopes })
          const unchecked = { ...rotationOf(family, 0), rotates }
          const checked = { ...unchecked, isAudienceChecked: true }
          const asked = order === 'before' ? [unchecked, checked] : [checked, unchecked]
          const answers = await outcomesOf(asked.map((rotation) => grants().rotate(rotation, WINDOWS)))
          expect(answers[asked.indexOf(checked)]).toBe('rotated')
          expect(answers[asked.indexOf(unchecked)]).not.toBe('rotated')
        }
      },
    )

    it('gives each the row of its own family', async () => {
      const many = await families(10)
      const answers = await Promise.all(many.map((family) => grants().rotate(rotationOf(family, 0), WINDOWS)))
      expect(answers).toMatchObject(many.map(({ grantId }) => ({ counter: 1, grant: { grantId } })))
    })

    it('no rotation waits for a locked row of another one in its batch', async () => {
      const [held, first, ...others] = await families(5)
      if (held === undefined || first === undefined) throw new Error()
      const late = await environment.database.transaction(async (tx) => {
        await tx.query({
          name: '',
          text: 'SELECT FROM grants.authorization_grant WHERE grant_id = $1 FOR UPDATE',
          values: [held.grantId],
        })
        const waiting = grants().rotate(rotationOf(held, 0), WINDOWS)
        expect(await grants().rotate(rotationOf(first, 0), WINDOWS)).toMatchObject({ outcome: 'rotated' })
        expect(
          await outcomesOf(others.map((family) => grants().rotate(rotationOf(family, 0), WINDOWS))),
        ).toEqual(['rotated', 'rotated', 'rotated'])
        return { waiting }
      })
      expect(await late.waiting).toMatchObject({ outcome: 'rotated', counter: 1 })
    })

    it('rotates each family once on two replicas in any order, without a deadlock [F-19]', async () => {
      const many = await families(size('contenders'))
      for (const counter of [0, 1, 2]) {
        const orders = [many, many.toReversed()]
        const answers = await Promise.all(
          replicas.flatMap(({ grants }, n) =>
            (orders[n] ?? []).map(async (family) => ({
              family,
              ...(await grants.rotate(rotationOf(family, counter), WINDOWS)),
            })),
          ),
        )
        for (const family of many) {
          const own = answers.filter((answer) => answer.family === family).map(({ outcome }) => outcome)
          expect(own.toSorted()).toEqual(['repeated', 'rotated'])
        }
      }
    })
  })

  it('one counter behind is a repetition within the window and reuse after it [F-18]', async () => {
    const grant = await redeemed()
    await grants().rotate(rotationOf(grant, 0), WINDOWS)
    await environment.sql(
      `UPDATE grants.authorization_grant SET rotated_at = rotated_at - interval '20 seconds' WHERE grant_id = $1`,
      [grant.grantId],
    )
    expect(await grants().rotate(rotationOf(grant, 0), WINDOWS)).toMatchObject({
      outcome: 'repeated',
      counter: 1,
    })
    await environment.sql(
      `UPDATE grants.authorization_grant SET rotated_at = rotated_at - interval '11 seconds' WHERE grant_id = $1`,
      [grant.grantId],
    )
    expect(await grants().rotate(rotationOf(grant, 0), WINDOWS)).toEqual({
      outcome: 'reused',
      grantId: grant.grantId,
      userId: 'alice',
      organizationId: 'acme',
    })
  })

  it('two counters behind is reuse, however young [F-18]', async () => {
    const grant = await redeemed()
    await grants().rotate(rotationOf(grant, 0), WINDOWS)
    await grants().rotate(rotationOf(grant, 1), WINDOWS)
    expect(await grants().rotate(rotationOf(grant, 0), WINDOWS)).toMatchObject({ outcome: 'reused' })
  })

  it.each<[string, (grant: NewGrant) => Partial<ReturnType<typeof rotationOf>>]>([
    ['of another client', () => ({ clientId: 'keeping' })],
    ['under another key', () => ({ refreshKid: 'm2' })],
    ['with a counter that was never given out', () => ({ counter: 1 })],
    ['of a grant that never was', () => ({ grantId: `${'2950'}-${'a'.repeat(26)}` })],
    ['of something that is no grant id', () => ({ grantId: "x' OR true" })],
  ])('a call %s is refused and changes nothing', async (_, change) => {
    const grant = await redeemed()
    const rotation = { ...rotationOf(grant, 0), ...change(grant) }
    expect(await grants().rotate(rotation, WINDOWS)).toEqual({ outcome: 'refused' })
    expect(await grants().rotate(rotationOf(grant, 0), WINDOWS)).toMatchObject({ outcome: 'rotated' })
  })

  it.each([
    ['idle', `idle_end = clock_timestamp() - interval '1 second'`],
    ['ended', `ended_at = clock_timestamp(), end_reason = 'test'`],
  ])('a family that is %s is refused, for the current token and the one before [F-21]', async (_, change) => {
    const grant = await redeemed()
    await grants().rotate(rotationOf(grant, 0), WINDOWS)
    await environment.sql(`UPDATE grants.authorization_grant SET ${change} WHERE grant_id = $1`, [
      grant.grantId,
    ])
    for (const counter of [0, 1]) {
      expect(await grants().rotate(rotationOf(grant, counter), WINDOWS)).toEqual({ outcome: 'refused' })
    }
  })

  it.each([
    ['the user', 'directory.account', `user_id = 'alice'`],
    ['the application', 'directory.application', `client_id = 'web'`],
    ['the organization', 'directory.organization', `organization_id = 'acme'`],
  ])('once the epoch of %s has risen the family is refused', async (_, table, where) => {
    const epochOf = async () =>
      Number((await environment.sql(`SELECT token_epoch FROM ${table} WHERE ${where}`))[0]?.token_epoch)
    const epochs = async () => ({
      user: {
        id: 'alice',
        epoch: Number((await environment.sql('SELECT token_epoch FROM directory.account'))[0]?.token_epoch),
      },
      client: {
        id: 'web',
        epoch: Number(
          (await environment.sql(`SELECT token_epoch FROM directory.application WHERE client_id = 'web'`))[0]
            ?.token_epoch,
        ),
      },
      organization: {
        id: 'acme',
        epoch: Number(
          (await environment.sql('SELECT token_epoch FROM directory.organization'))[0]?.token_epoch,
        ),
      },
    })
    const { user, client, organization } = await epochs()
    const grant = await redeemed({
      user,
      client,
      userOrganization: organization,
      clientOrganization: organization,
    })
    const before = await epochOf()
    await environment.sql(`UPDATE ${table} SET token_epoch = token_epoch + 1 WHERE ${where}`)
    expect(await epochOf()).toBe(before + 1)
    expect(await grants().rotate(rotationOf(grant, 0), WINDOWS)).toEqual({ outcome: 'refused' })
  })
})
