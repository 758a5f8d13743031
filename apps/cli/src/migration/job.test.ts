import { describe, expect, it } from 'vitest'
import { importFile } from './document.ts'
import { exportedCounts, requireDone, type ShownJob } from './job.ts'

const JOB: ShownJob = {
  ...{ id: 'a', kind: 'export', state: 'failed', phase: 'exporting', resumable: false },
  counts: { total: 2, done: 2, created: 0, updated: 0, skipped: 0, failed: 0 },
}

describe('documents above the limit of a call', () => {
  it('sends no more than a call may have', async () => {
    const piece = Buffer.alloc(16_777_216, 'a')
    async function* standardInput() {
      for (let count = 0; count < 17; count++) yield piece
    }
    let sent = 0
    const send = async (body: ReadableStream) => {
      for await (const part of body) sent += part.length
    }
    await expect(importFile({ file: '-', identity: undefined }, {}, { standardInput }, send)).rejects.toThrow(
      'signet import s3://…, gs://… or storage:PATH',
    )
    expect(sent).toBeLessThanOrEqual(268_435_456)
  })

  it('names the option of an export', () => {
    const error = { message: 'the document is too large', details: [{ id: 'document_too_large' }] }
    expect(() => requireDone({ ...JOB, error })).toThrow(
      'export a failed: the document is too large: signet export --out s3://…, gs://… or storage:PATH',
    )
  })
})

describe('the result of an export', () => {
  it('counts each kind', () => {
    expect(exportedCounts({ ...JOB, records: { orgs: 1, humanUsers: 2 } }, 'a.json')).toBe(
      '3 objects in a.json: 1 orgs, 2 humanUsers',
    )
  })

  it('counts the users in the response of the version before', () => {
    expect(exportedCounts(JOB, 'a.json')).toBe('2 users in a.json')
  })
})
