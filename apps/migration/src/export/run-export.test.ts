import { readMeta } from '@signet/file-formats/archive/manifest'
import { RpcError } from '@signet/grpc/error'
import { describe, expect, it } from 'vitest'
import type { Job, JobRepository } from '../jobs/job.ts'
import type { DocumentTarget } from '../storage/stored-object.ts'
import type { SignManifest } from './document-writer.ts'
import { createRunExport } from './run-export.ts'

const JOB = { id: 'job', kind: 'export', state: 'running', request: {}, notes: [] } as unknown as Job

/** Runs an export of one organization with one user. */
async function runExport(
  sign: SignManifest,
  { mayContinue = () => true }: { readonly mayContinue?: () => boolean } = {},
) {
  const written: Buffer[] = []
  const ended: unknown[] = []
  const counted: unknown[] = []
  let pauses = 0
  let aborted = false
  const target: DocumentTarget = {
    write: async (chunk) => void written.push(chunk),
    commit: async () => ['a note of the target'],
    abort: async () => {
      aborted = true
    },
  }
  const jobs = {
    claim: async () => 1,
    leave: async () => undefined,
    setProgress: async () => true,
    setNotes: async () => undefined,
    setRecords: async (_: string, records: unknown) => void counted.push(records),
    mayContinue: async () => mayContinue(),
    finish: async (_: string, end: unknown) => void ended.push(end),
  } as unknown as JobRepository
  const run = createRunExport({
    jobs,
    async *directory() {
      yield { plan: { users: 1, unknownOrganizationIds: [], instanceAdministrators: [], notes: [] } }
      yield { organization: Buffer.from('{"orgId":"one"}') }
      yield { list: 'humanUsers', count: 1, records: Buffer.from('{"userId":"a"}') }
    },
    target: async () => ({ target, mostBytes: 1_000_000 }),
    sign,
    workerId: 'worker',
    pause: async () => {
      pauses += 1
    },
    stopping: () => false,
    issuer: 'https://id.example',
    now: () => new Date(0),
  })
  const failure = await run(JOB).catch((error: unknown) => error)
  const text = Buffer.concat(written).toString()
  const meta = readMeta(Buffer.from(text.slice(text.indexOf('"meta":') + 7, -1)))
  return { meta, ended, counted, failure, aborted, pauses }
}

describe('the manifest of an export', () => {
  it('describes what is written', async () => {
    const described: unknown[] = []
    const { meta, ended } = await runExport(async (archive) => {
      described.push(archive)
      return 'signed'
    })
    expect(meta?.manifest).toBe('signed')
    expect(described).toEqual([
      {
        createdAt: '1970-01-01T00:00:00.000Z',
        sha256: meta?.sha256,
        sections: {
          orgs: expect.objectContaining({ count: 1 }),
          humanUsers: expect.objectContaining({ count: 1 }),
        },
      },
    ])
    expect(ended).toEqual([{ state: 'succeeded', notes: ['a note of the target'], attempt: 1 }])
  })

  it('is waited for while keys is away', async () => {
    let calls = 0
    const { meta, pauses } = await runExport(async () => {
      calls += 1
      if (calls < 4) throw new RpcError('UNAVAILABLE', 'keys is away')
      return 'signed'
    })
    expect(meta?.manifest).toBe('signed')
    expect(pauses).toBe(3)
  })

  it('is waited for no longer than the job goes on', async () => {
    const away = new RpcError('UNAVAILABLE', 'keys is away')
    let checks = 0
    const mayContinue = () => {
      checks += 1
      return checks < 3
    }
    const { failure, aborted, ended } = await runExport(async () => Promise.reject(away), { mayContinue })
    expect(failure).toBe(away)
    expect(aborted).toBe(true)
    expect(ended).toEqual([])
  })

  it('is absent, and noted, while keys signs none', async () => {
    const { meta, ended, counted } = await runExport(async () => undefined)
    expect(meta).toMatchObject({ format: 'signet-export', counts: { orgs: 1, humanUsers: 1 } })
    expect(counted).toEqual([{ orgs: 1, humanUsers: 1 }])
    expect(meta?.manifest).toBeUndefined()
    expect(ended).toMatchObject([{ notes: [expect.anything(), expect.stringContaining('is not signed')] }])
  })
})
