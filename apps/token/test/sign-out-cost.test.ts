import { startRoundTripCounter } from '@signet/testing/round-trips'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GrantEnvironment, type Replica, startGrantEnvironment } from './fixtures/grant-environment.ts'

const MOST_RELATIONS = 50
/** Limit of the relations that a transaction locks while its statements are planned: all indexes of their tables. */
const MOST_RELATIONS_WHEN_PLANNED = 60
/** Locks that a PostgreSQL with its default settings has room for: 100 connections, 64 for each. */
const DEFAULT_LOCKS = 100 * 64
const BURST = 200

let environment: GrantEnvironment
beforeAll(async () => {
  environment = await startGrantEnvironment()
  // Counts the relations that a transaction has locked when it commits, and commits as slowly as a busy disk.
  await environment.sql('CREATE TABLE grants.locked (relations integer)')
  await environment.sql('GRANT ALL ON grants.locked TO signet_token')
  await environment.sql(`CREATE FUNCTION grants.count_locks() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO grants.locked SELECT count(DISTINCT relation) FROM pg_locks
     WHERE pid = pg_backend_pid() AND locktype = 'relation' AND relation >= 16384
       AND relation <> 'grants.locked'::regclass;
    PERFORM pg_sleep(0.2);
    RETURN NULL;
  END $$`)
  await environment.sql(`CREATE CONSTRAINT TRIGGER count_locks AFTER INSERT OR UPDATE ON grants.revocation
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION grants.count_locks()`)
})
afterAll(() => environment?.stop())

const event = { actor: { kind: 'service' }, action: 'test', result: 'success' } as const

async function signedIn(replica: Replica) {
  const { grant, redemption } = environment.newGrant()
  await replica.grants.redeem(redemption, grant)
  return grant
}

/** The most relations that a transaction locked since the last call. */
async function mostRelations(): Promise<unknown> {
  const [row] = await environment.sql('SELECT max(relations)::integer AS most FROM grants.locked')
  await environment.sql('DELETE FROM grants.locked')
  return row?.most
}

/**
 * The number of relations that an ending locks on a connection that ran it before, and on one that did not.
 */
async function relationsOf(end: (replica: Replica) => Promise<unknown>) {
  const replica = environment.replica()
  await end(replica)
  const planned = await mostRelations()
  for (let time = 0; time < 3; time += 1) await end(replica)
  await mostRelations()
  await end(replica)
  return { planned, prepared: await mostRelations() }
}

describe('locks few relations', () => {
  it.each([
    [
      'a sign-out',
      async (replica: Replica) => {
        const { sid } = await signedIn(replica)
        await replica.endings.endSessions([{ sid, userId: 'alice' }], new Date(), {})
      },
    ],
    [
      'the end of a refresh family',
      async (replica: Replica) => {
        const { grantId } = await signedIn(replica)
        await replica.endings.endGrant({ grantId }, { reason: 'test', event }, new Date())
      },
    ],
    [
      'the revocation of a refresh family by its client',
      async (replica: Replica) => {
        const { grantId, clientId } = await signedIn(replica)
        await replica.endings.endGrantOfClient({ grantId, clientId }, { reason: 'test', event }, new Date())
      },
    ],
    [
      'the end of what a user gave an application',
      async (replica: Replica) => {
        await signedIn(replica)
        await replica.endings.endGrantsOfClient({ userId: 'alice', clientId: 'web' }, event, new Date())
      },
    ],
  ])('%s', async (_, end) => {
    const { planned, prepared } = await relationsOf(end)
    expect(planned).toBeLessThanOrEqual(MOST_RELATIONS_WHEN_PLANNED)
    expect(prepared).toBeLessThanOrEqual(MOST_RELATIONS)
  })
})

it('waits for PostgreSQL once for a redemption, a revocation and a sign-out in the weeks of the one before', async () => {
  await environment.sql('ALTER TABLE grants.revocation DISABLE TRIGGER count_locks')
  const counter = await startRoundTripCounter(environment.url)
  const replica = environment.replica(counter.url)
  const redeem = async () => {
    const { grant, redemption } = environment.newGrant()
    expect(await replica.grants.redeem(redemption, grant, [event])).toEqual({ outcome: 'redeemed' })
    return grant
  }
  const first = await redeem()
  const second = await redeem()
  const third = await redeem()
  const fourth = await redeem()
  expect(await counter.of(redeem)).toBe(1)
  const endGrant = () =>
    replica.endings.endGrant({ grantId: first.grantId }, { reason: 'test', event }, new Date())
  expect(await counter.of(endGrant)).toBe(1)
  const revoke = () => {
    const { grantId, clientId } = fourth
    return replica.endings.endGrantOfClient({ grantId, clientId }, { reason: 'test', event }, new Date())
  }
  expect(await counter.of(revoke)).toBe(1)
  const endSession =
    ({ sid }: { readonly sid: string }) =>
    () =>
      replica.endings.endSessions([{ sid, userId: 'alice' }], new Date(), {})
  expect(await counter.of(endSession(second))).toBe(2)
  expect(await counter.of(endSession(third))).toBe(1)
  const expiresAt = Date.now() / 1000 + 60
  const endToken = () => replica.endings.endAccessToken({ id: third.grantId, expiresAt }, event, new Date())
  expect(await counter.of(endToken)).toBe(1)
  await counter.stop()
  await environment.sql('ALTER TABLE grants.revocation ENABLE TRIGGER count_locks')
})

it('ends 200 sessions at once with the lock table of a default PostgreSQL', async () => {
  const [settings] = await environment.sql(`SELECT current_setting('max_locks_per_transaction')::integer *
    (current_setting('max_connections')::integer + current_setting('max_prepared_transactions')::integer) AS locks`)
  const beyondDefault = Number(settings?.locks) - DEFAULT_LOCKS
  const replicas = [environment.replica(), environment.replica(), environment.replica()]
  const sessions = await Promise.all(
    Array.from({ length: BURST }, async (_, index) => {
      const replica = replicas[index % replicas.length] as Replica
      return { replica, grant: await signedIn(replica) }
    }),
  )
  const outcomes = await environment.database.transaction(async (tx) => {
    await tx.query({
      name: '',
      text: `SELECT pg_advisory_xact_lock(12, n) FROM generate_series(1, ${beyondDefault}) AS n`,
    })
    return Promise.allSettled(
      sessions.map(({ replica, grant }) =>
        replica.endings.endSessions([{ sid: grant.sid, userId: 'alice' }], new Date(), {}),
      ),
    )
  })
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
}, 60_000)
