import { randomBytes } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { DocumentReader } from '@signet/file-formats/export/document-reader'
import { expect, it } from 'vitest'
import type { NewRejectedBatch, RejectedBatchRepository } from '../src/import/rejected-batch.repository.ts'
import { MOST_REPORTED, TooManyRejects, writeRejectsDocument } from '../src/import/rejects.ts'
import { createStager } from '../src/import/stage-document.ts'
import type { StagedBatchRepository } from '../src/jobs/staged-batch.ts'
import { createStagedSealer } from '../src/sealing.ts'

const sealer = createStagedSealer([randomBytes(32)], randomBytes)

/** A stager whose repositories keep what `keep` says of each batch. */
function staging(keep: (batch: NewRejectedBatch) => void) {
  const rejected: RejectedBatchRepository = {
    add: async (_, batch) => keep(batch),
    report: async function* () {},
    sealed: async function* () {},
  }
  const staged = {
    add: async () => {},
    nameOrganizations: async () => {},
    storeCredentials: async () => {},
  } as unknown as StagedBatchRepository
  return createStager('job', { staged, rejected, sealer })
}

/** The heap that is in use after a full collection: the peak before one depends on the collector alone. */
function liveBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

/** A document of one organization whose users are all `user`, in pieces of a thousand. */
function* documentOf(user: object, thousands: number) {
  yield Buffer.from('{"orgs":[{"orgId":"acme","org":{"name":"ACME"},"humanUsers":[0')
  const piece = Buffer.from(`,${JSON.stringify(user)}`.repeat(1_000))
  for (let sent = 0; sent < thousands; sent += 1) yield piece
  yield Buffer.from(']}]}')
}

async function read(document: Iterable<Buffer>, keep: (batch: NewRejectedBatch) => void) {
  const stager = staging(keep)
  const reader = new DocumentReader(stager.sink)
  for (const chunk of document) {
    reader.write(chunk)
    await stager.flush()
  }
  reader.end()
  return await stager.finish()
}

it('reads 200,000 invalid records in constant memory and reports a bounded number of them', async () => {
  const seen = { records: 0, reported: 0, problemBytes: 0 }
  const live: number[] = []
  const { invalid } = await read(documentOf({ userId: 'u', user: { userName: '' } }, 200), (batch) => {
    seen.records += batch.recordCount
    seen.reported += batch.problems.length
    seen.problemBytes += JSON.stringify(batch.problems).length
    if (seen.records % 40_000 < batch.recordCount) live.push(liveBytes())
  })
  expect(invalid).toMatchObject({ records: 200_001, problemCount: 200_001 })
  expect(invalid.problems).toHaveLength(100)
  expect(seen.records).toBe(200_001)
  expect(seen.reported).toBe(MOST_REPORTED)
  expect(seen.problemBytes).toBeLessThan(2_000_000)
  expect(live.length).toBeGreaterThan(3)
  expect(Math.max(...live) - (live[0] ?? 0)).toBeLessThan(20_000_000)
}, 60_000)

it('stops reading when the invalid records are larger than 256 MiB', async () => {
  const user = { userId: 'u', user: { userName: '', nickname: 'x'.repeat(100_000) } }
  let bytes = 0
  await expect(
    read(documentOf(user, 3), (batch) => {
      bytes += batch.sealed.length
    }),
  ).rejects.toBeInstanceOf(TooManyRejects)
  expect(bytes).toBeLessThan(268_435_456)
})

it('writes an organization once, with the records of interleaved batches in lists', async () => {
  const batches: NewRejectedBatch[] = []
  const invalid = { userId: 'named', user: { userName: '' } }
  const withoutHash = { userId: 'hash', user: { userName: 'hash', hashedPassword: { value: 'none' } } }
  const organization = { orgId: 'acme', org: { name: 'ACME' } }
  const document = {
    orgs: [
      {
        ...organization,
        humanUsers: [invalid, withoutHash, invalid, withoutHash],
        projects: [{ projectId: 'p' }],
      },
      { orgId: 'right', org: { name: 'Right' } },
      { projects: [{ projectId: 'q' }], orgId: 'last', org: {} },
    ],
  }
  await read([Buffer.from(JSON.stringify(document))], (batch) => batches.push(batch))
  const ordered = batches.toSorted(
    (a, b) => a.ordinal - b.ordinal || (a.list < b.list ? -1 : a.list > b.list ? 1 : a.batch - b.batch),
  )
  const rejected = {
    sealed: async function* () {
      yield* ordered
    },
  } as unknown as RejectedBatchRepository
  let text = ''
  for await (const piece of writeRejectsDocument({ rejected, sealer }, 'job')) text += piece
  expect(JSON.parse(text)).toEqual({
    orgs: [
      {
        ...organization,
        humanUsers: [invalid, invalid, withoutHash, withoutHash],
        projects: [{ projectId: 'p' }],
      },
      { orgId: 'last', org: {}, projects: [{ projectId: 'q' }] },
    ],
  })
})
