import { type Logger, silentLogger } from '@signet/platform/logger/logger'
import type { Database } from '@signet/platform/postgres/pool'
import { createPool } from '@signet/platform/postgres/pool'
import type { AuditChain, AuditHead } from '@signet/tokens/audit-head'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AuditChainStore } from '../src/audit-chain/audit-chain.repository.ts'
import { createLogSealing } from '../src/audit-chain/seal-logs.service.ts'
import { auditTable } from '../src/rotation/key.repository.ts'
import { createKeysDatabase, type KeysDatabase } from './fixtures/keys-database.ts'

let keys: KeysDatabase
let administrator: Database
let service: Database
beforeAll(async () => {
  // One audit log.
  keys = await createKeysDatabase({ alone: true })
  administrator = createPool({ url: keys.server.adminUrl, applicationName: 'test', max: 2 })
  service = keys.connect()
  await auditTable.createPartitions(service, new Date())
})
afterAll(async () => {
  await administrator?.close()
  await keys?.drop()
})
beforeEach(async () => {
  await sql('TRUNCATE keys_audit.audit_event, keys_audit.unsealed, keys_audit.segment')
  await sql('UPDATE keys_audit.head SET number = 0, jws = NULL, signed_at = NULL')
})

const sql = async <R>(text: string, values: readonly unknown[] = []) =>
  (await administrator.query<R>({ name: '', text, values })).rows
const event = (action: string) => ({ actor: { kind: 'service' }, action, result: 'success' }) as const
const sealed = async () =>
  (
    await sql<{ action: string | null }>(
      `SELECT e.action FROM keys_audit.segment s, unnest(s.ats, s.ids) WITH ORDINALITY AS r (at, id, n)
         LEFT JOIN keys_audit.audit_event e USING (at, id) ORDER BY s.number, r.n`,
    )
  ).map(({ action }) => action)

describe('sealing', () => {
  it('puts each row of writers at two replicas into exactly one segment, while two sealers run', async () => {
    const replicas = [keys.connect(), keys.connect()]
    let writing = true
    const writers = replicas.flatMap((database, replica) =>
      Array.from({ length: 3 }, async (_, writer) => {
        for (let n = 0; n < 20; n += 1) {
          await database.transaction(async (tx) => {
            await auditTable.record(tx, event(`${replica}.${writer}.${n}`))
            // Others commit between the row and its commit.
            if (n % 5 === 0) await tx.query({ name: '', text: 'SELECT pg_sleep(0.02)' })
          })
        }
      }),
    )
    const sealers = replicas.map(async (database) => {
      const store = new AuditChainStore(database)
      while (writing) await store.seal('keys', 7)
    })
    await Promise.all(writers)
    writing = false
    await Promise.all(sealers)
    const store = new AuditChainStore(service)
    while ((await store.seal('keys', 7)) > 0);
    const actions = await sealed()
    expect(actions).toHaveLength(120)
    expect(new Set(actions).size).toBe(120)
    expect(await sql('SELECT FROM keys_audit.unsealed')).toEqual([])
    const chain = await sql(
      'SELECT FROM keys_audit.segment s JOIN keys_audit.segment b ON b.number = s.number - 1 WHERE s.previous <> b.hash',
    )
    expect(chain).toEqual([])
  })

  it('seals the row of a transaction that commits after later ones', async () => {
    const store = new AuditChainStore(service)
    await keys.connect().transaction(async (late) => {
      await auditTable.record(late, event('late'))
      await auditTable.record(service, event('early'))
      expect(await store.seal('keys', 100)).toBe(1)
    })
    expect(await store.seal('keys', 100)).toBe(1)
    expect(await sealed()).toEqual(['early', 'late'])
  })

  it('loses nothing when PostgreSQL ends the connection of the sealer before its commit', async () => {
    await auditTable.record(service, event('first'), event('second'))
    const killed = keys.connect().transaction(async (tx) => {
      await tx.query({ name: '', text: 'SELECT keys_audit.seal(100)' })
      const { rows } = await tx.query<{ pid: number }>({ name: '', text: 'SELECT pg_backend_pid() AS pid' })
      await sql('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
      await tx.query({ name: '', text: 'SELECT 1' })
    })
    await expect(killed).rejects.toThrow()
    expect(await sealed()).toEqual([])
    expect(await new AuditChainStore(service).seal('keys', 100)).toBe(2)
    expect((await sealed()).toSorted()).toEqual(['first', 'second'])
  })

  const recordOld = async () => {
    await auditTable.createPartitions(service, new Date('2021-11-15T00:00:00Z'))
    await sql(
      "INSERT INTO keys_audit.audit_event (at, actor_kind, action, result) VALUES ('2021-11-20', 'service', 'old', 'success')",
    )
  }
  /** The first call drops partitions, the second empties the segments of their rows. */
  const settleTwice = async () => {
    await auditTable.settlePartitions(service, new Date())
    await auditTable.settlePartitions(service, new Date())
  }

  it('keeps the hashes of segments whose rows were removed after 400 days', async () => {
    await recordOld()
    const store = new AuditChainStore(service)
    await store.seal('keys', 100)
    await auditTable.record(service, event('new'))
    await store.seal('keys', 100)
    await settleTwice()
    expect(await sql('SELECT action FROM keys_audit.audit_event')).toEqual([{ action: 'new' }])
    expect(
      await sql(
        'SELECT number, row_count, ids IS NULL AS emptied, length(hash) AS hash FROM keys_audit.segment ORDER BY number',
      ),
    ).toEqual([
      { number: 1, row_count: 1, emptied: true, hash: 32 },
      { number: 2, row_count: 1, emptied: false, hash: 32 },
    ])
  })

  it('keeps the list of rows of a segment while their partition has rows that are not sealed', async () => {
    await recordOld()
    const store = new AuditChainStore(service)
    await store.seal('keys', 100)
    await recordOld()
    await settleTwice()
    expect(await sealed()).toEqual(['old'])
    await store.seal('keys', 100)
    await settleTwice()
    expect(await sql('SELECT FROM keys_audit.audit_event')).toEqual([])
    expect(await sql('SELECT ids FROM keys_audit.segment')).toEqual([{ ids: null }, { ids: null }])
  })

  it('keeps the list of rows of a segment while a reader keeps their partition', async () => {
    await recordOld()
    await new AuditChainStore(service).seal('keys', 100)
    await administrator.transaction(async (reader) => {
      await reader.query({ name: '', text: 'SELECT FROM keys_audit.audit_event' })
      await settleTwice()
    })
    expect(await sealed()).toEqual(['old'])
    await settleTwice()
    expect(await sealed()).toEqual([])
  })
})

describe('heads', () => {
  const sealingAt = (
    now: () => Date,
    { store = new AuditChainStore(service), logger = silentLogger } = {},
  ) => {
    const signed: AuditHead[] = []
    const sign = async (head: AuditHead) => {
      signed.push(head)
      return `jws-${head.number}`
    }
    return { signed, sealing: createLogSealing({ store, sign, logger, now }) }
  }

  it('are signed for a new segment, and again after a minute without one', async () => {
    let now = new Date()
    const { signed, sealing } = sealingAt(() => now)
    await sealing.round()
    await auditTable.record(service, event('one'))
    await sealing.round()
    await sealing.round()
    expect(signed.map(({ number }) => number)).toEqual([0, 1])
    now = new Date(now.getTime() + 90_000)
    await sealing.round()
    expect(signed.map(({ number }) => number)).toEqual([0, 1, 1])
    expect(await sql('SELECT number, jws FROM keys_audit.head')).toEqual([{ number: 1, jws: 'jws-1' }])
  })

  it('are signed again by a clock that is a year behind', async () => {
    const { signed, sealing } = sealingAt(() => new Date(Date.now() - 365 * 86_400_000))
    await sealing.round()
    await sealing.round()
    expect(signed).toHaveLength(2)
  })

  it('are not signed after a segment that was signed here was replaced or deleted', async () => {
    const { signed, sealing } = sealingAt(() => new Date())
    await auditTable.record(service, event('one'))
    await sealing.round()
    await sealing.round()
    expect([...sealing.changed]).toEqual([['keys', false]])
    await sql("UPDATE keys_audit.segment SET hash = sha256('other')")
    await auditTable.record(service, event('two'))
    await sealing.round()
    expect([...sealing.changed]).toEqual([['keys', true]])
    await sql('DELETE FROM keys_audit.segment')
    await sealing.round()
    expect([...sealing.changed]).toEqual([['keys', true]])
    expect(signed.map(({ number }) => number)).toEqual([1])
  })

  it('are signed of the logs after one that cannot be sealed, which is reported once', async () => {
    /** The first of the two has no tables in this database. */
    class StoreOfTwo extends AuditChainStore {
      override async chains(): Promise<AuditChain[]> {
        return ['directory', 'keys']
      }
    }
    const warned: unknown[] = []
    const logger: Logger = { ...silentLogger, warn: (name, fields) => warned.push([name, fields?.name]) }
    const { signed, sealing } = sealingAt(() => new Date(), { store: new StoreOfTwo(service), logger })
    await auditTable.record(service, event('one'))
    await sealing.round()
    await sealing.round()
    expect(signed.map(({ chain, number }) => [chain, number])).toEqual([['keys', 1]])
    expect(warned).toEqual([['audit_sealing_failed', 'directory']])
  })

  it('wait while a log cannot be sealed, and the age of its oldest row is measured all the same', async () => {
    const { signed, sealing } = sealingAt(() => new Date())
    await auditTable.record(service, event('one'))
    await sql("UPDATE keys_audit.unsealed SET at = at - interval '10 minutes'")
    await sql('REVOKE EXECUTE ON FUNCTION keys_audit.seal(integer) FROM signet_keys')
    await sealing.round()
    expect(sealing.unsealedSeconds.get('keys')).toBeGreaterThan(599)
    await sql('GRANT EXECUTE ON FUNCTION keys_audit.seal(integer) TO signet_keys')
    await sealing.round()
    expect(sealing.unsealedSeconds.get('keys')).toBe(0)
    expect(signed.map(({ number }) => number)).toEqual([1])
  })
})

describe('the role of the service', () => {
  it.each([
    "UPDATE keys_audit.audit_event SET action = 'other'",
    'DELETE FROM keys_audit.audit_event',
    'TRUNCATE keys_audit.audit_event',
    'DROP TABLE keys_audit.audit_event',
    'ALTER TABLE keys_audit.audit_event DISABLE TRIGGER enqueue',
    "INSERT INTO keys_audit.audit_event (at, actor_kind, action, result) VALUES (now(), 'service', 'x', 'success')",
    'DELETE FROM keys_audit.unsealed',
    'DELETE FROM keys_audit.segment',
    "UPDATE keys_audit.head SET jws = 'other'",
    'UPDATE keys.audit_event SET action = NULL',
    'DELETE FROM keys.audit_event',
  ])('may not %s', async (text) => {
    await expect(service.query({ name: '', text })).rejects.toMatchObject({ code: '42501' })
  })
})
