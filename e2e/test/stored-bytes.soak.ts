// The bytes that docs/scaling.md computes with: of a person, a session, a grant, an audit row and an ending.
import { readFile } from 'node:fs/promises'
import type { Database } from '@signet/platform/postgres/pool'
import { connectRedis, createRedis } from '@signet/platform/redis/client'
import { startSystem } from '@signet/testing/system/start-system'
import { UNLIMITED } from '@signet/testing/system/test-directory'
import { afterAll, beforeAll, expect, it } from 'vitest'

const HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$RdescudvJCsgt3ub+b4dWRWJTmaaJObGRdescudvJCs'
const COPIES = 100_000
const ROWS_PER_INSERT = 10_000
const SIGN_INS = 30
const TIMED_SIGN_INS = 300

let system: Awaited<ReturnType<typeof start>>
let database: Database
const start = () => startSystem({ mode: 'in-process' })
beforeAll(async () => {
  system = await start()
  database = system.database
}, 60_000)
afterAll(() => system?.stop(), 60_000)

const rows = async <T>(text: string, values: readonly unknown[] = []) =>
  (await database.query({ name: '', text, values: [...values] })).rows as T[]

const show = (what: string, value: number) => process.stdout.write(`${what}: ${Math.round(value)}\n`)

/** Tables by name, partitions under their parent. */
async function tables(schemas: readonly string[]): Promise<Map<string, { bytes: number; rows: number }>> {
  const found = await rows<{ name: string; leaf: string; bytes: string }>(
    `SELECT coalesce(p.oid, c.oid)::regclass::text AS name, c.oid::regclass::text AS leaf,
            pg_total_relation_size(c.oid) AS bytes
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class p ON p.oid = i.inhparent
      WHERE c.relkind = 'r' AND n.nspname = ANY($1)`,
    [schemas],
  )
  const all = new Map<string, { bytes: number; rows: number }>()
  for (const { name, leaf, bytes } of found) {
    const [counted] = await rows<{ count: string }>(`SELECT count(*) FROM ONLY ${leaf}`)
    const before = all.get(name) ?? { bytes: 0, rows: 0 }
    all.set(name, { bytes: before.bytes + Number(bytes), rows: before.rows + Number(counted?.count) })
  }
  return all
}

const SCHEMAS = [
  'directory',
  'directory_audit',
  'grants',
  'grants_audit',
  'keys',
  'keys_audit',
  'migration',
  'migration_audit',
]

async function difference<T>(work: () => Promise<T>) {
  const before = await tables(SCHEMAS)
  await work()
  const after = await tables(SCHEMAS)
  return [...after].flatMap(([name, { bytes, rows: count }]) => {
    const was = before.get(name) ?? { bytes: 0, rows: 0 }
    return count === was.rows && bytes === was.bytes
      ? []
      : [{ name, bytes: bytes - was.bytes, rows: count - was.rows }]
  })
}

it('prints the bytes of a person in PostgreSQL', async () => {
  const person = (n: number) => ({
    userId: `size-${n}`,
    user: {
      userName: `given.family.${n}`,
      profile: {
        firstName: 'Given',
        lastName: 'Family',
        displayName: 'Given Family',
        preferredLanguage: 'en',
      },
      email: { email: `given.family.${n}@example.test`, isEmailVerified: true },
      hashedPassword: { value: HASH },
    },
  })
  const changed = await difference(async () => {
    const humanUsers = Array.from({ length: COPIES }, (_, n) => person(n))
    const org = { orgId: 'size', org: { name: 'size' }, humanUsers }
    const answer = await system.administer('POST', '/admin/v1/import', {
      timeout: '10m',
      data_orgs: { orgs: [org] },
    })
    expect(answer.status).toBe(200)
  })
  await rows('VACUUM')
  const lasting = changed.filter(
    ({ name }) => name.startsWith('directory.') && !/\.(change|applied_batch|undo_batch)/.test(name),
  )
  for (const { name, bytes } of lasting)
    if (bytes > COPIES) show(`person: ${name}: bytes each`, bytes / COPIES)
  show(
    'person: sum of the directory without feed and undo',
    lasting.reduce((sum, { bytes }) => sum + bytes, 0) / COPIES,
  )
}, 900_000)

it('prints the rows that a sign-in and a refresh write, and the bytes in Redis', async () => {
  const signIns = await difference(async () => {
    for (let n = 0; n < SIGN_INS; n += 1) await system.tokens({ loginName: n === 0 ? 'alice' : 'bob' })
  })
  for (const { name, rows: count } of signIns)
    if (count > 0) show(`sign-in: ${name}: rows of ${SIGN_INS}`, count)
  let { refresh_token: token } = await system.tokens({ loginName: 'bob' })
  const refreshes = await difference(async () => {
    for (let n = 0; n < SIGN_INS; n += 1)
      token = String((await system.refresh('web', token)).json.refresh_token)
  })
  for (const { name, rows: count } of refreshes)
    if (count > 0) show(`refresh: ${name}: rows of ${SIGN_INS}`, count)
  const redis = createRedis({ url: system.redisUrl, name: 'measure', onError: () => {} })
  await connectRedis(redis)
  const used = async (pattern: string) => {
    const keys = await redis.keys(pattern)
    const sizes = await Promise.all(keys.map((key) => redis.memory('USAGE', key, 'SAMPLES', 0)))
    return {
      keys: keys.length,
      least: Math.min(...sizes.map(Number)),
      bytes: sizes.reduce<number>((sum, bytes) => sum + Number(bytes ?? 0), 0),
    }
  }
  for (const pattern of ['sessions', 'browsers', 'authorization']) {
    const { keys, bytes, least } = await used(`signet:login:${pattern}:*`)
    show(`Redis: ${pattern}: keys after ${SIGN_INS + 1} sign-ins`, keys)
    show(`Redis: ${pattern}: bytes`, bytes)
    if (keys > 0) show(`Redis: ${pattern}: bytes of the smallest key`, least)
  }
  const endings = 1_000
  await system.revoke('web', (await system.tokens()).access_token)
  // The same entry again, so that one entry's share of a long stream is what is measured.
  const [last] = await redis.xrevrange('signet:endings', '+', '-', 'COUNT', 1)
  const before = Number(await redis.memory('USAGE', 'signet:endings', 'SAMPLES', 0))
  for (let n = 0; n < endings; n += 1) await redis.xadd('signet:endings', '*', ...(last?.[1] ?? []))
  const after = Number(await redis.memory('USAGE', 'signet:endings', 'SAMPLES', 0))
  show('Redis: bytes of one ending', (after - before) / endings)
  await redis.quit()
}, 300_000)

const ID = (column: string, salt: string) =>
  `'${column}', left(md5(n || '${salt}') || md5('${salt}' || n), length(r ->> '${column}'))`
const COPIED: Readonly<Record<string, readonly string[]>> = {
  'grants.authorization_grant': [ID('grant_id', 'g'), ID('sid', 's'), ID('user_id', 'u')],
  'grants.code_redemption': [ID('code_id', 'c'), ID('grant_id', 'g')],
  'grants.session_client': [ID('sid', 's'), ID('user_id', 'u')],
  'grants.week_index': [ID('id', 's')],
  'grants.revocation': [ID('id', 'r')],
  'directory_audit.audit_event': [
    `'id', gen_random_uuid()`,
    ID('actor_id', 'u'),
    ID('target_id', 'u'),
    `'at', now() + n * interval '1 microsecond'`,
  ],
  'grants_audit.audit_event': [
    `'id', gen_random_uuid()`,
    ID('actor_id', 'u'),
    ID('target_id', 'u'),
    `'at', now() + n * interval '1 microsecond'`,
  ],
}

it.each(Object.entries(COPIED))(
  'prints the bytes of a row of %s',
  async (table, columns) => {
    const changed = await difference(async () => {
      for (let first = 1; first <= COPIES; first += ROWS_PER_INSERT) {
        const last = first + ROWS_PER_INSERT - 1
        const text = `INSERT INTO ${table}
         SELECT c.* FROM (SELECT to_jsonb(t) AS r FROM ${table} t LIMIT 1) s, generate_series(${first}, ${last}) n,
                LATERAL jsonb_populate_record(NULL::${table}, r || jsonb_build_object(${columns.join(', ')})) c`
        await database.transaction((tx) => tx.query({ name: '', text, values: [] }), { kind: 'background' })
      }
    })
    const { bytes = Number.NaN, rows: count = 0 } = changed.find(({ name }) => name === table) ?? {}
    expect(count).toBeGreaterThanOrEqual(COPIES)
    show(`${table}: bytes of a row, indexes included`, bytes / count)
  },
  300_000,
)

it('prints the CPU time of a sign-in in each service', async () => {
  const apart = await startSystem({ mode: 'processes', env: UNLIMITED })
  try {
    const services = ['login', 'token', 'directory', 'keys', 'introspection'] as const
    const seconds = () => Promise.all(services.map((service) => cpuSecondsOf(apart.replica(service).pid)))
    for (let n = 0; n < SIGN_INS; n += 1) await apart.tokens({ loginName: 'bob' })
    const before = await seconds()
    for (let n = 0; n < TIMED_SIGN_INS; n += 1) await apart.tokens({ loginName: 'bob' })
    const after = await seconds()
    for (const [index, service] of services.entries()) {
      const microseconds = (((after[index] ?? 0) - (before[index] ?? 0)) / TIMED_SIGN_INS) * 1e6
      show(`sign-in, one at a time: microseconds of ${service}`, microseconds)
    }
  } finally {
    await apart.stop()
  }
}, 300_000)

/** Reads the CPU time from `proc_pid_stat(5)`, which has it in hundredths of a second. */
async function cpuSecondsOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  const [, userTicks = '0', systemTicks = '0'] = /\) (?:\S+ ){11}(\d+) (\d+)/.exec(text) ?? []
  return (Number(userTicks) + Number(systemTicks)) / 100
}
