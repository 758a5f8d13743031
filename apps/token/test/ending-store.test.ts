import { randomBytes } from 'node:crypto'
import { size } from '@signet/testing/sizes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newGrantId, weekOf } from '../src/partitions/partition-plan.ts'
import {
  DAY_MS,
  type GrantEnvironment,
  type Replica,
  rotationOf,
  startGrantEnvironment,
  WINDOWS,
} from './fixtures/grant-environment.ts'

let environment: GrantEnvironment
let one: Replica
let other: Replica
beforeAll(async () => {
  environment = await startGrantEnvironment()
  one = environment.replica()
  other = environment.replica()
})
afterAll(() => environment?.stop())

const daysAhead = (days: number) => new Date(Date.now() + days * DAY_MS)

/** The members of a grant that ends in so many days at the latest. */
const untilDays = (days: number) => {
  const absoluteEnd = daysAhead(days)
  return { grantId: newGrantId(absoluteEnd, new Date(), randomBytes), absoluteEnd, idleEnd: absoluteEnd }
}

const refreshWorks = async (grant: Parameters<typeof rotationOf>[0]) =>
  (await one.grants.rotate(rotationOf(grant, 0), WINDOWS)).outcome === 'rotated'

async function redeemed(overrides: Parameters<GrantEnvironment['newGrant']>[0] = {}) {
  const { grant, redemption } = environment.newGrant(overrides)
  await one.grants.redeem(redemption, grant)
  return { ...grant, sid: grant.sid ?? 'every grant of this file has a session' }
}

describe('endSessions', () => {
  it('ends every grant under its sessions and no other', async () => {
    const first = await redeemed()
    const { sid } = first
    const beside = await redeemed({ sid })
    const stranger = await redeemed()
    const recorded = await one.endings.endSessions([{ sid, userId: 'alice' }], new Date(), {})
    expect(recorded).toMatchObject([{ kind: 's', id: sid, value: 1 }])
    expect([await refreshWorks(first), await refreshWorks(beside), await refreshWorks(stranger)]).toEqual([
      false,
      false,
      true,
    ])
  })

  it('logout: refreshTokensSurviveLogout spares families, not grants without refresh tokens', async () => {
    const client = { clientId: 'keeping', client: { id: 'keeping', epoch: 0 } }
    const offline = await redeemed(client)
    const { sid } = offline
    const { refreshKid: _, ...withoutRefresh } = environment.newGrant({ ...client, sid }).grant
    await one.grants.redeem(environment.newGrant().redemption, withoutRefresh)
    await one.endings.endSessions([{ sid, userId: 'alice' }], new Date(), {})
    const rows = await environment.sql(
      'SELECT refresh_kid IS NOT NULL AS offline, ended_at IS NOT NULL AS ended FROM grants.authorization_grant WHERE sid = $1 ORDER BY 1',
      [sid],
    )
    expect(rows).toEqual([
      { offline: false, ended: true },
      { offline: true, ended: false },
    ])
  })

  it('keeps a session ended when it is ended again', async () => {
    const grant = await redeemed()
    for (let time = 0; time < 2; time += 1)
      await one.endings.endSessions([{ sid: grant.sid, userId: 'alice' }], new Date(), {})
    expect(await refreshWorks(grant)).toBe(false)
  })

  it('ends the grants of every week, whichever weeks the sessions before had', async () => {
    const replica = environment.replica()
    for (const days of [90, 20, 90, 60]) {
      const grant = await redeemed(untilDays(days))
      const beside = await redeemed({ sid: grant.sid })
      await replica.endings.endSessions([{ sid: grant.sid, userId: 'alice' }], new Date(), {})
      expect([await refreshWorks(grant), await refreshWorks(beside)], `${days} days`).toEqual([false, false])
    }
  })

  it('reads no partition of a week that is over', async () => {
    const replica = environment.replica()
    const soon = await redeemed({ ...untilDays(1), sessionEnd: daysAhead(8) })
    await replica.endings.endSessions([{ sid: soon.sid, userId: 'alice' }], new Date(), {})
    const over = [`authorization_grant_${weekOf(daysAhead(1))}`, `session_client_${weekOf(daysAhead(8))}`]
    for (const table of over) await environment.sql(`ALTER TABLE grants.${table} RENAME TO ${table}_dropped`)
    const { sid } = await redeemed()
    const recorded = await replica.endings.endSessions([{ sid, userId: 'alice' }], daysAhead(15), {})
    for (const table of over) await environment.sql(`ALTER TABLE grants.${table}_dropped RENAME TO ${table}`)
    expect(recorded).toMatchObject([{ kind: 's', id: sid }])
  })

  it('ends both of two logouts with the same sessions in opposite order', async () => {
    const sessions = await Promise.all(Array.from({ length: 5 }, () => redeemed()))
    const ended = sessions.map(({ sid }) => ({ sid, userId: 'alice' }))
    await Promise.all([
      one.endings.endSessions(ended, new Date(), {}),
      other.endings.endSessions(ended.toReversed(), new Date(), {}),
    ])
    for (const grant of sessions) expect(await refreshWorks(grant)).toBe(false)
  })
})

describe('a redemption races the end of its session [F-20]', () => {
  it('leaves no active grant, whichever commits first', async () => {
    const outcomes = new Set<string>()
    for (let round = 0; round < size('interleavings'); round += 1) {
      // The weeks of every other session are those of the session before.
      const { grant, redemption } = environment.newGrant(untilDays(30 + 7 * ((round % 4) >> 1)))
      const redeem = async () => {
        await pause(round % 7)
        return one.grants.redeem(redemption, grant)
      }
      const end = async () => {
        await pause((round * 3) % 7)
        return other.endings.endSessions([{ sid: grant.sid, userId: 'alice' }], new Date(), {})
      }
      const [result] = await Promise.all([redeem(), end()])
      outcomes.add(result.outcome)
      const alive = await environment.sql(
        'SELECT FROM grants.authorization_grant WHERE sid = $1 AND ended_at IS NULL',
        [grant.sid],
      )
      expect(alive, `round ${round}`).toEqual([])
    }
    // Otherwise this was no race.
    expect(outcomes).toEqual(new Set(['redeemed', 'ended']))
  }, 600_000)

  it('a rotation in flight does not restore a revoked family [F-20]', async () => {
    for (let round = 0; round < size('interleavings'); round += 1) {
      const grant = await redeemed()
      const rotate = async () => {
        await pause(round % 5)
        return one.grants.rotate(rotationOf(grant, 0), WINDOWS)
      }
      const end = async () => {
        await pause((round * 3) % 5)
        const event = { actor: { kind: 'service' }, action: 'test', result: 'success' } as const
        const { grantId } = grant
        return other.endings.endGrant({ grantId }, { reason: 'test', event }, new Date())
      }
      const [rotated] = await Promise.all([rotate(), end()])
      const counter = rotated.outcome === 'rotated' ? rotated.counter : 0
      expect(await one.grants.rotate(rotationOf(grant, counter), WINDOWS), `round ${round}`).toEqual({
        outcome: 'refused',
      })
    }
  }, 600_000)
})

describe('an exchange races the end of what it was made for', () => {
  const ends = {
    grant: ({ grantId }: { readonly grantId: string }) => {
      const event = { actor: { kind: 'service' }, action: 'test', result: 'success' } as const
      return other.endings.endGrant({ grantId }, { reason: 'test', event }, new Date())
    },
    async 'grant of a client'({ grantId }: { readonly grantId: string }) {
      const event = { actor: { kind: 'service' }, action: 'test', result: 'success' } as const
      const why = { reason: 'test', event }
      const ended = await other.endings.endGrantOfClient({ grantId, clientId: 'web' }, why, new Date())
      return ended.length > 0 ? ended : other.endings.endGrant({ grantId }, why, new Date())
    },
    token: ({ tokenId }: { readonly tokenId: string }) =>
      other.endings.endAccessToken(
        { id: tokenId, expiresAt: Date.now() / 1_000 + 60 },
        undefined,
        new Date(),
      ),
  }

  it.each(['grant', 'grant of a client', 'token'] as const)(
    'leaves no active family for a %s, whichever commits first',
    async (of) => {
      const outcomes = new Set<string>()
      for (let round = 0; round < size('interleavings'); round += 1) {
        const { grantId } = await redeemed()
        const tokenId = `${of}-${round}`
        const {
          grant: { sid: _sid, sessionEnd: _end, authTime: _time, ...exchanged },
        } = environment.newGrant()
        const origin = { ...(of === 'token' ? { tokenId } : { grantId }), organizations: [] }
        const exchange = async () => {
          await pause(round % 7)
          const audience = ['web']
          return one.grants.begin({
            ...exchanged,
            exchange: { origins: [origin], audience, accessTokenType: 'bearer' },
          })
        }
        const end = async () => {
          await pause((round * 3) % 11)
          return ends[of]({ grantId, tokenId })
        }
        const [outcome, endings] = await Promise.all([exchange(), end()])
        outcomes.add(outcome)
        expect(endings).toHaveLength(1)
        const alive = await environment.sql(
          'SELECT FROM grants.authorization_grant WHERE grant_id = $1 AND ended_at IS NULL',
          [exchanged.grantId],
        )
        expect(alive, `round ${round}`).toEqual([])
      }
      // Otherwise this was no race.
      expect(outcomes).toEqual(new Set(['begun', 'ended']))
    },
    600_000,
  )
})

/** Lets other connections run for so many turns of the event loop. */
async function pause(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe('endGrantsOfClient', () => {
  it('returns the same endings again when it is repeated', async () => {
    const { grantId, clientId } = await redeemed()
    const event = {
      action: 'token.revoked',
      actor: { kind: 'client', id: clientId },
      result: 'success',
    } as const
    const end = () => one.endings.endGrantsOfClient({ userId: 'alice', clientId }, event, new Date())
    const first = await end()
    expect(first).toContainEqual(expect.objectContaining({ kind: 'g', id: grantId }))
    expect(await end()).toContainEqual(expect.objectContaining({ kind: 'g', id: grantId }))
  })
})

describe('endGrantOfClient', () => {
  const event = {
    action: 'token.revoke',
    actor: { kind: 'client', id: 'web' },
    result: 'success',
  } as const
  const end = ({ grantId }: { readonly grantId: string }, clientId: string) => {
    const why = { reason: 'test', event: { ...event, target: { kind: 'grant', id: grantId } } }
    return one.endings.endGrantOfClient({ grantId, clientId }, why, new Date())
  }
  const eventsOf = ({ grantId }: { readonly grantId: string }) =>
    environment.sql(
      'SELECT organization_id, details FROM grants.audit_event WHERE action = $1 AND target_id = $2',
      ['token.revoke', grantId],
    )

  it('ends the family each time and adds its user and organization to the event', async () => {
    const grant = await redeemed()
    const endings = [expect.objectContaining({ kind: 'g', id: grant.grantId, value: 1 })]
    const stored = { organization_id: grant.userOrganization.id, details: { subject: 'alice' } }
    expect(await end(grant, 'web')).toEqual(endings)
    expect(await end(grant, 'web')).toEqual(endings)
    expect(await eventsOf(grant)).toEqual([stored, stored])
    expect(await refreshWorks(grant)).toBe(false)
  })

  it('writes nothing for another client and for an unknown grant', async () => {
    const grant = await redeemed()
    const unknown = environment.newGrant().grant
    expect(await end(grant, 'spa')).toEqual([])
    expect(await end(unknown, 'web')).toEqual([])
    expect(await end({ grantId: 'no-grant-id' }, 'web')).toEqual([])
    expect([...(await eventsOf(grant)), ...(await eventsOf(unknown))]).toEqual([])
    expect(
      await environment.sql('SELECT FROM grants.revocation WHERE id = ANY ($1)', [
        [grant.grantId, unknown.grantId],
      ]),
    ).toEqual([])
    expect(await refreshWorks(grant)).toBe(true)
  })
})

describe('endAccessToken', () => {
  const event = { actor: { kind: 'service' }, action: 'test', result: 'success' } as const
  const end = (replica: Replica, id: string) =>
    replica.endings.endAccessToken({ id, expiresAt: Math.floor(Date.now() / 1000) + 60 }, event, new Date())
  const recorded = async (ids: readonly string[]) =>
    (
      await environment.sql(
        `SELECT id FROM grants.revocation WHERE kind = 't' AND id = ANY ($1) ORDER BY id`,
        [ids],
      )
    ).map(({ id }) => id)

  it('records every one of many tokens that are ended at once on two replicas, some of them twice', async () => {
    const ids = Array.from({ length: 120 }, (_, n) => `token-${String(n).padStart(3, '0')}`)
    const ended = await Promise.all(
      [...ids, ...ids.slice(0, 30)].map((id, n) => end(n % 2 === 0 ? one : other, id)),
    )
    expect(ended.flatMap((endings) => endings.map(({ id }) => id))).toEqual([...ids, ...ids.slice(0, 30)])
    expect(await recorded(ids)).toEqual(ids)
  })

  it('waits for the exchange that holds a token without delaying the end of others', async () => {
    let waiting: Promise<unknown> = Promise.resolve()
    await environment.database.transaction(async (tx) => {
      await tx.query({
        name: '',
        text: `SELECT pg_advisory_xact_lock_shared(hashtextextended('held', 0))`,
      })
      waiting = end(one, 'held')
      await end(one, 'free')
      expect(await recorded(['free', 'held'])).toEqual(['free'])
    })
    await waiting
    expect(await recorded(['free', 'held'])).toEqual(['free', 'held'])
  })
})
