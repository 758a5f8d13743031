import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip, gzipSync } from 'node:zlib'
import { size } from '@signet/testing/sizes'
import { placesOf } from '@signet/testing/stored-rows'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMigrationClient, type MigrationClient, migrationSystem } from './migration-client.ts'

interface StoredJob {
  readonly id: string
  readonly state: string
  readonly result?: unknown
  readonly notes?: readonly string[]
  readonly createdAt?: string
  readonly error?: { readonly message: string }
}

describe('storage outputs and inputs', () => {
  let migration: MigrationClient
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'signet-transfer-'))
    migration = createMigrationClient(await startSystem(migrationSystem({ transferFolder: folder })))
    const humanUsers = Array.from({ length: 800 }, (_, index) => ({
      userId: `u${index}`,
      user: { userName: `u${index}` },
    }))
    await migration.import({ orgs: [{ orgId: 'acme', org: { name: 'ACME' }, humanUsers }] })
  })
  afterAll(async () => {
    await migration?.system.stop()
    await rm(folder, { recursive: true })
  })

  const ended = async (path: string, body: object): Promise<StoredJob> => {
    const answer = await migration.call('POST', path, body)
    const { id } = (await answer.json()) as StoredJob
    expect(answer.status).toBe(202)
    const job = async () => (await (await migration.call('GET', `/jobs/${id}`)).json()) as StoredJob
    // No test of how long a job takes: a busy machine compresses slowly.
    await expect.poll(async () => (await job()).state, { timeout: 60_000 }).not.toMatch(/queued|running/)
    return await job()
  }
  const exportTo = (path: string) => ended('/export', { org_ids: ['acme'], local_output: { path } })

  it('an export appears whole, and is imported again', async () => {
    expect(await exportTo('acme.json')).toMatchObject({
      state: 'succeeded',
      result: { storage: 'localOutput' },
    })
    // The place, with its credentials, is forgotten when the job has ended.
    const kept = 'SELECT FROM migration.job WHERE sealed_credentials IS NOT NULL OR sealed_upload IS NOT NULL'
    await expect
      .poll(async () => (await migration.system.database.query({ name: '', text: kept })).rowCount)
      .toBe(0)
    const document = JSON.parse(await readFile(join(folder, 'acme.json'), 'utf8'))
    expect(document.meta.counts).toMatchObject({ orgs: 1, humanUsers: 800 })
    const imported = await ended('/import', {
      dry_run: true,
      org_ids: ['acme'],
      data_orgsv1_local: { path: 'acme.json' },
    })
    expect(imported).toMatchObject({ state: 'succeeded', counts: { total: 801, skipped: 801 } })
  })

  it('writes the time of the call for {date} in the path of an export', async () => {
    const job = await ended('/export', {
      org_ids: ['acme'],
      storage_output: { path: 'daily/{date}/{date}.json' },
    })
    const [, path = ''] = /^the object is (.*)$/m.exec(job.notes?.join('\n') ?? '') ?? []
    const date = (job.createdAt ?? '').replace(/[-:]|\.\d+/g, '')
    expect([job.state, date, path]).toEqual([
      'succeeded',
      expect.stringMatching(/^\d{8}T\d{6}Z$/),
      `daily/${date}/${date}.json`,
    ])
    expect(await readFile(join(folder, path), 'utf8')).toContain('"orgId":"acme"')
    const literal = await ended('/import', {
      dry_run: true,
      data_orgsv1_storage: { path: 'daily/{date}.json' },
    })
    expect(literal).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('{date}.json') },
    })
  })

  it('a path alone means the storage of the server; one more member, and it is the storage of the caller', async () => {
    const order = { org_ids: ['acme'], storage_output: { path: '2026/own.json' } }
    expect(await ended('/export', order)).toMatchObject({ state: 'succeeded' })
    expect(await readFile(join(folder, '2026', 'own.json'), 'utf8')).toContain('"orgId":"acme"')
    const back = await ended('/import', {
      dry_run: true,
      org_ids: ['acme'],
      data_orgsv1_storage: { path: '2026/own.json' },
    })
    expect(back).toMatchObject({ state: 'succeeded', counts: { total: 801 } })
    for (const more of [{ bucket: 'b' }, { endpoint: 'http://127.0.0.1' }, { serviceaccount_json: '' }]) {
      const answer = await migration.call('POST', '/export', { storage_output: { path: 'a.json', ...more } })
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('storageOutput.')])
    }
  })

  it('does not replace an object, and says so', async () => {
    const { state, error } = await exportTo('acme.json')
    expect(state).toBe('failed')
    expect(error?.message).toContain('acme.json')
  })

  it('meta.sha256: a document that was changed is refused unless the caller takes it all the same', async () => {
    const text = await readFile(join(folder, 'acme.json'), 'utf8')
    await writeFile(join(folder, 'changed.json.gz'), gzipSync(text.replace('ACME', 'ACMF')))
    const order = { org_ids: ['acme'], data_orgs_local: { path: 'changed.json.gz' }, dry_run: true }
    const refused = await ended('/import', order)
    expect(refused).toMatchObject({ state: 'failed' })
    expect(refused.error?.message).toContain('meta.sha256 does not fit')
    expect(await ended('/import', { ...order, ignore_checksum: true })).toMatchObject({ state: 'succeeded' })
  })

  it('credentials are neither stored in clear text nor returned [F-41]', async () => {
    const secretAccessKey = 'canary-of-the-storage'
    const s3 = {
      path: 'x',
      bucket: 'bucket',
      endpoint: 'http://127.0.0.1:1',
      accessKeyId: 'id',
      secretAccessKey,
    }
    const { id, state } = await ended('/export', { s3_output: s3 })
    expect(state).toBe('failed')
    const query = async (text: string) =>
      (await migration.system.database.query<object>({ name: '', text })).rows
    expect(await placesOf([secretAccessKey], query, ['migration', 'migration_audit'])).toEqual([])
    expect(await (await migration.call('GET', `/jobs/${id}`)).text()).not.toContain(secretAccessKey)
  })

  it.each([
    ['/export', { local_output: { path: '../outside' } }, 'localOutput.path'],
    ['/export', { local_output: { path: 'a' }, response_output: true }, 'localOutput'],
    [
      '/export',
      { storage_output: { path: 'a', bucket: 'bucket', serviceaccount_json: 'e30=' } },
      'serviceaccountJson',
    ],
    ['/export', { storage_output: { path: '../outside' } }, 'storageOutput.path'],
    ['/import', { data_orgsv1_s3: { path: 'a' } }, 'bucket'],
  ])('%s refuses %j', async (path, body, text) => {
    const answer = await migration.call('POST', path, body)
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain(text)
  })

  /** Yields a mebibyte of spaces, as often as asked for. */
  function* spaces(mebibytes: number) {
    for (let count = 0; count < mebibytes; count += 1) yield Buffer.alloc(1_048_576, ' ')
  }
  const person = (more: object) => JSON.stringify({ userId: 'u', user: { userName: 'u', ...more } })
  const people = (...records: string[]) =>
    `{"orgs":[{"orgId":"hostile","org":{"name":"Hostile"},"humanUsers":[${records}]}]}`
  const hashed = (value: string) => people(person({}), person({ hashedPassword: { value } }))
  const second = 'orgs[0].humanUsers[1]'
  const inSecond = (field: string) => `${second}.${field} (organization hostile)`

  const HOSTILE: readonly (readonly [string, () => Iterable<Buffer | string>, string])[] = [
    [
      'a record that is one endless line',
      function* () {
        yield '{"orgs":[{"orgId":"hostile","humanUsers":[{"userId":"u"},{"userId":"'
        yield* spaces(size('hostileMebibytes'))
      },
      `${second} is larger than 1572864 bytes`,
    ],
    [
      'a record 100,000 levels deep',
      () => [people(person({}), '['.repeat(100_000))],
      `${second} is nested deeper than 64 levels`,
    ],
    [
      'bytes that are not UTF-8',
      () => [Buffer.from(people(person({}), person({ userName: 'ä' })), 'latin1')],
      `${second} (organization hostile): is not UTF-8`,
    ],
    ['a number for a text', () => [people(person({}), '{"userId":7}')], inSecond('userId')],
    ['a text for a list', () => ['{"orgs":[{"humanUsers":"u"}]}'], 'orgs[0].humanUsers must be an array'],
    ['one id twice', () => [people(person({}), person({ userName: 'v' }))], `${second}.userId`],
    [
      'argon2 with 64 GiB',
      () => [hashed('$argon2id$v=19$m=67108864,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA')],
      inSecond('user.hashedPassword.value'),
    ],
    [
      'bcrypt with cost 31',
      () => [hashed('$2a$31$WzQ8nYtq3RkVf0sXe1uBhOgWwE3LaJUoLEdr.s.9CXS/2OTSCh9Py')],
      inSecond('user.hashedPassword.value'),
    ],
  ]
  /** Beside what the processor's own compiler and caches take meanwhile. */
  const MOST_MORE_BYTES = 150_000_000

  it.each(HOSTILE)(
    'refuses %s, from a compressed object and from the call [F-42]',
    async (_, pieces, message) => {
      const before = process.memoryUsage().rss
      await pipeline(pieces, createGzip({ level: 1 }), createWriteStream(join(folder, 'hostile.json.gz')))
      const stored = await ended('/import', { data_orgs_local: { path: 'hostile.json.gz' } })
      expect(stored).toMatchObject({ state: 'failed', error: { message: expect.stringContaining(message) } })
      function* body() {
        yield Buffer.from('{"data_orgs":')
        for (const piece of pieces()) yield Buffer.from(piece)
        yield Buffer.from('}')
      }
      const answer = await migration.call('POST', '/import', Readable.toWeb(Readable.from(body())))
      expect(answer.status).toBe(400)
      expect(await answer.text()).toContain(message)
      expect(process.memoryUsage().rss - before).toBeLessThan(MOST_MORE_BYTES)
      const text = "SELECT FROM directory_read.organization_v1 WHERE organization_id = 'hostile'"
      expect((await migration.system.database.query({ name: '', text })).rowCount).toBe(0)
    },
  )

  it('refuses a zip bomb, which no limit of a record stops [F-42]', async () => {
    const before = process.memoryUsage().rss
    function* bomb() {
      yield '{"orgs":['
      yield* spaces(size('hostileMebibytes'))
      yield ']}'
    }
    await pipeline(bomb, createGzip(), createWriteStream(join(folder, 'bomb.json.gz')))
    const { state, error } = await ended('/import', { data_orgs_local: { path: 'bomb.json.gz' } })
    expect(state).toBe('failed')
    expect(error?.message).toContain('must not be compressed to less than 1/200 of its size')
    expect(process.memoryUsage().rss - before).toBeLessThan(MOST_MORE_BYTES)
  })
})
