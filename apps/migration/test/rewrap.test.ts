import { randomBytes } from 'node:crypto'
import { rewrapColumns, type SealedColumn } from '@signet/platform/sealing/rewrap'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openLocation, sealLocation } from '../src/jobs/requested-location.ts'
import { SEALED_COLUMNS } from '../src/sealed-columns.ts'
import { createStagedSealer } from '../src/sealing.ts'
import { openJobDatabase } from './job-database.ts'

let jobs: Awaited<ReturnType<typeof openJobDatabase>>
beforeAll(async () => {
  jobs = await openJobDatabase()
})
afterAll(() => jobs?.close())

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
const rows = async <R>(text: string, values: readonly unknown[] = []) =>
  (await jobs.database.query<R>({ name: '', text, values })).rows

it('knows every column of the schema that holds sealed values', async () => {
  const found = await rows<{ name: string }>(
    `SELECT 'migration.' || table_name || '.' || column_name AS name FROM information_schema.columns
      WHERE table_schema = 'migration' AND column_name LIKE 'sealed%' ORDER BY 1`,
  )
  const nameOf = ({ table, column }: SealedColumn) => `${table}.${column}`
  expect(SEALED_COLUMNS.map(nameOf).sort()).toEqual(found.map(({ name }) => name))
})

it('leaves nothing under the old master key, a bounded number in each transaction', async () => {
  const old = createStagedSealer([oldKey], randomBytes)
  const location = { kind: 's3', bucket: 'b', path: 'p' } as never
  const requests = { sealed: { recipients: ['age1x'] }, unsealed: {} }
  for (const [id, request] of Object.entries(requests)) {
    await rows(
      `INSERT INTO migration.job (job_id, kind, state, created_by, created_at, request, sealed_credentials, sealed_upload)
       VALUES ($1, 'import', 'queued', 'admin', now(), $2, $3, $4)`,
      [
        id,
        request,
        sealLocation(old, { id, request }, location),
        old.seal(Buffer.from('handle'), `upload ${id}`),
      ],
    )
  }
  await rows(
    `INSERT INTO migration.staged_batch
       (job_id, batch, stage, ordinal, list, first_index, record_count, ids, unique_keys, unique_at, sealed)
     VALUES ('sealed', 3, 1, 0, 'humanUsers', 0, 1, '{a}', '{}', '{}', $1)`,
    [old.seal(Buffer.from('records'), 'staged_batch sealed 3')],
  )
  await rows(
    `INSERT INTO migration.rejected_batch
       (job_id, batch, ordinal, list, record_count, problems, credentials_only, sealed)
     VALUES ('sealed', 4, 0, 'humanUsers', 1, '[]', false, $1)`,
    [old.seal(Buffer.from('rejects'), 'rejected_batch sealed 4')],
  )
  await rows(
    'INSERT INTO migration.document_chunk (job_id, attempt, position, sealed) VALUES ($1, 2, 0, $2)',
    ['sealed', old.seal(Buffer.from('chunk'), 'document_chunk sealed 2 0')],
  )
  await rows(`INSERT INTO migration.left_out (job_id, part, sealed) VALUES ('sealed', 'people', $1)`, [
    old.seal(Buffer.from('list'), 'left_out sealed people'),
  ])
  const rewrap = () =>
    jobs.database.transaction((tx) =>
      rewrapColumns(tx, SEALED_COLUMNS, { masterKeys: [newKey, oldKey], random: randomBytes, most: 3 }),
    )
  expect([await rewrap(), await rewrap(), await rewrap()]).toEqual([
    { rewrapped: 3, unreadable: 0, done: false },
    { rewrapped: 3, unreadable: 0, done: false },
    { rewrapped: 2, unreadable: 0, done: true },
  ])

  const sealer = createStagedSealer([newKey], randomBytes)
  for (const [id, request] of Object.entries(requests)) {
    const [job] = await rows<{ sealed_credentials: Buffer; sealed_upload: Buffer }>(
      'SELECT sealed_credentials, sealed_upload FROM migration.job WHERE job_id = $1',
      [id],
    )
    expect(openLocation(sealer, { id, request }, job?.sealed_credentials ?? Buffer.of())).toEqual(location)
    expect(String(sealer.open(job?.sealed_upload ?? Buffer.of(), `upload ${id}`))).toBe('handle')
  }
  for (const [table, place, text] of [
    ['staged_batch', 'staged_batch sealed 3', 'records'],
    ['rejected_batch', 'rejected_batch sealed 4', 'rejects'],
    ['document_chunk', 'document_chunk sealed 2 0', 'chunk'],
    ['left_out', 'left_out sealed people', 'list'],
  ] as const) {
    const [row] = await rows<{ sealed: Buffer }>(`SELECT sealed FROM migration.${table}`)
    expect(String(sealer.open(row?.sealed ?? Buffer.of(), place))).toBe(text)
  }
})
