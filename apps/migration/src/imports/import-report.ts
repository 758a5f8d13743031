import type { Job } from '../runs/job.ts'
import type { StagedStore } from '../stores/staged-store.ts'
import { recordId, typeOf } from './import-result.ts'

const OUTCOMES: Readonly<Record<string, string>> = { c: 'created', u: 'updated', s: 'skipped', f: 'failed' }

/** One line of JSON for each object of an import, and before them one for each note. */
export async function* importReport(staged: StagedStore, job: Job): AsyncIterable<string> {
  for (const note of job.notes) yield `${JSON.stringify({ note })}\n`
  for await (const batch of staged.report(job.id)) {
    const messages = new Map((batch.failures ?? []).map(({ index, message }) => [index, message]))
    const lines = batch.ids.map((_, index) => {
      const outcome = OUTCOMES[batch.outcomes?.[index] ?? ''] ?? 'pending'
      const message = messages.get(index)
      const line = {
        orgId: batch.organizationId,
        type: typeOf(batch.list),
        id: recordId(batch, index),
        index: batch.firstIndex + index,
        outcome,
        ...(message !== undefined && { message }),
      }
      return `${JSON.stringify(line)}\n`
    })
    yield lines.join('')
  }
}
