import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import { signetCommand } from '@signet/testing/system/signet-command'
import { startSystem } from '@signet/testing/system/start-system'
import { ADMIN_TOKEN } from '@signet/testing/system/test-directory'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

// Each test starts the command line several times.
vi.setConfig({ testTimeout: 120_000 })

let system: InProcessSystem
let folder: string
beforeAll(async () => {
  system = await startSystem({ mode: 'in-process', replicas: 2 })
  folder = await mkdtemp(join(tmpdir(), 'signet-audit-'))
  for (const userId of ['one', 'two', 'three']) {
    await system.manage('PATCH', `/users/${userId}`, { userName: userId })
  }
  await vi.waitFor(async () => expect(await sealedUpdates()).toBeGreaterThanOrEqual(3), 60_000)
}, 180_000)
afterAll(async () => {
  await system?.stop()
  if (folder !== undefined) await rm(folder, { recursive: true })
}, 60_000)

const sql = async (text: string, values: readonly unknown[] = []) =>
  (await system.database.query<Record<string, unknown>>({ name: '', text, values })).rows

/** How many refused updates of users a segment lists whose signed head is stored. */
async function sealedUpdates(): Promise<number> {
  const [row] = await sql(
    `SELECT count(*) AS count FROM directory_audit.segment s, unnest(s.ats, s.ids) AS r (at, id)
       JOIN directory_audit.audit_event e USING (at, id)
      WHERE e.action = 'user.update' AND s.number <= (SELECT number FROM directory_audit.head WHERE jws IS NOT NULL)`,
  )
  return Number(row?.count)
}

const verify = (...options: readonly string[]) =>
  signetCommand(['audit', 'verify', '--keys', `${system.issuer}/oauth/v2/keys`, ...options], {
    issuer: system.issuer,
    token: ADMIN_TOKEN,
  })

/** Runs `text` on the read of the user, by the administrator of the database and without triggers. */
async function tamper(text: string): Promise<void> {
  await system.database.transaction(async (tx) => {
    await tx.query({ name: '', text: 'SET LOCAL session_replication_role = replica' })
    // As `seal` does: a segment that is sealed meanwhile would name a hash from before.
    await tx.query({ name: '', text: 'SELECT FROM directory_audit.head FOR UPDATE' })
    await tx.query({ name: '', text })
  })
}

const OF_ONE = "action = 'user.update' AND target_id = 'one'"
const LOG = 'directory_audit.audit_event'

// First: keys signs no head any more after the changes that follow.
describe('signet audit export', () => {
  it('continues after its cursor and repeats no row', async () => {
    const options = ['--cursor', join(folder, 'cursor'), '--out', join(folder, 'events')]
    const run = () =>
      signetCommand(['audit', 'export', ...options], { issuer: system.issuer, token: ADMIN_TOKEN })
    await run()
    await system.manage('PATCH', '/users/four', { userName: 'four' })
    await expect.poll(sealedUpdates, { timeout: 60_000 }).toBeGreaterThanOrEqual(4)
    await run()
    const lines = (await readFile(join(folder, 'events'), 'utf8')).trim().split('\n')
    const events = lines.map((line) => JSON.parse(line))
    const ids = events.flatMap(({ metadata }) => metadata.uid ?? [])
    expect(new Set(ids).size).toBe(ids.length)
    const updates = events
      .filter(({ message }) => message === 'user.update')
      .map(({ unmapped }) => unmapped.target.uid)
    expect(updates).toEqual(['one', 'two', 'three', 'four'])
    expect(events.filter(({ class_uid }) => class_uid === 0).length).toBeGreaterThanOrEqual(4)
  })
})

describe('signet audit verify', () => {
  it('says how many rows it checked, and saves the heads', async () => {
    const out = await verify('--save-head', join(folder, 'heads.json'))
    expect(out).toMatch(
      /^directory: [1-9]\d* rows checked in [1-9]\d* segments, \d+ not sealed yet, signed head [1-9]/,
    )
    expect(out).toContain('every row is as it was sealed')
    expect(JSON.parse(await readFile(join(folder, 'heads.json'), 'utf8'))).toHaveLength(4)
    await expect(verify('--head', join(folder, 'heads.json'))).resolves.toContain(
      'every row is as it was sealed',
    )
  })

  const row = `(SELECT e FROM ${LOG} e WHERE ${OF_ONE})`
  it.each([
    {
      what: 'changed',
      change: `UPDATE ${LOG} SET client_address = '203.0.113.1' WHERE ${OF_ONE}`,
      found: /^signet: directory: changed: segment \d+, row \d+ \([0-9a-f-]{36}, .*Z\) has another content/,
    },
    {
      what: 'deleted',
      change: `DELETE FROM ${LOG} WHERE ${OF_ONE}`,
      found: /^signet: directory: deleted: segment .* is gone/,
    },
    {
      what: 'reordered',
      change: `UPDATE ${LOG} SET at = at - interval '1 second' WHERE ${OF_ONE}`,
      found: /^signet: directory: reordered: segment .* was moved to /,
    },
  ])('finds a row that was $what, and nothing when it is put back', async ({ change, found }) => {
    await sql('DROP TABLE IF EXISTS public.saved')
    await sql(`CREATE TABLE public.saved AS SELECT * FROM ${LOG} WHERE ${OF_ONE}`)
    await tamper(change)
    await expect(verify()).rejects.toThrow(found)
    await tamper(`DELETE FROM ${LOG} WHERE ${OF_ONE}`)
    await tamper(`INSERT INTO ${LOG} SELECT * FROM public.saved`)
    await sql('DROP TABLE public.saved')
    await expect(verify()).resolves.toContain('every row is as it was sealed')
  })

  it('finds a row that was added without its segment', async () => {
    await tamper(`INSERT INTO ${LOG} (actor_kind, action, result) VALUES ('anonymous', 'forged', 'success')`)
    await expect(verify()).rejects.toThrow(
      /^signet: directory: added: row [0-9a-f-]{36} of .* is in no segment/,
    )
    await tamper(`DELETE FROM ${LOG} WHERE action = 'forged'`)
  })

  it('finds a list of rows that was changed with its rows', async () => {
    await tamper(`UPDATE ${LOG} SET client_address = '203.0.113.1' WHERE ${OF_ONE}`)
    await tamper(
      `UPDATE directory_audit.segment s SET hashes = overlay(hashes PLACING sha256(convert_to(directory_audit.content(${row}), 'UTF8'))
         FROM (32 * (array_position(s.ids, (${row}).id) - 1) + 1))
       WHERE (${row}).id = ANY (s.ids)`,
    )
    await expect(verify()).rejects.toThrow(
      /^signet: directory: changed: segment \d+: its list of rows is another one/,
    )
  })

  it('finds a chain that was computed again, by a head that was saved before', async () => {
    // As an administrator of the database could: all hashes fit, and a later head is signed after a restart of keys.
    await tamper(`UPDATE directory_audit.segment SET rows_hash = sha256(hashes)`)
    await tamper(
      `DO $$ DECLARE s directory_audit.segment; before bytea := decode(repeat('00', 32), 'hex'); BEGIN
         FOR s IN SELECT * FROM directory_audit.segment ORDER BY number LOOP
           before := sha256(convert_to(concat_ws(E'\\n', 'signet-audit-segment-1', 'directory', s.number,
             (extract(epoch FROM s.sealed_at) * 1000000)::bigint, s.row_count,
             (extract(epoch FROM s.first_at) * 1000000)::bigint, (extract(epoch FROM s.last_at) * 1000000)::bigint,
             encode(s.rows_hash, 'hex'), encode(before, 'hex')), 'UTF8'));
           UPDATE directory_audit.segment SET hash = before, previous = coalesce(
             (SELECT hash FROM directory_audit.segment b WHERE b.number = s.number - 1), decode(repeat('00', 32), 'hex'))
            WHERE number = s.number;
         END LOOP; END $$`,
    )
    await expect(verify('--head', join(folder, 'heads.json'))).rejects.toThrow(
      /^signet: directory: changed: segment \d+ was signed with another hash/,
    )
  })
})
