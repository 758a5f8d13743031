import type { Job } from '../runs/job.ts'
import type { Failure, ReportedBatch, StagedStore } from '../stores/staged-store.ts'
import { recordId, typeOf } from './import-result.ts'

const OUTCOMES: Readonly<Record<string, string>> = { c: 'created', u: 'updated', s: 'skipped', f: 'failed' }

/** One line of JSON for each object of an import, and before them one for each note. */
export async function* importReport(staged: StagedStore, job: Job): AsyncIterable<string> {
  for (const note of job.notes) yield `${JSON.stringify({ note })}\n`
  for await (const batch of staged.report(job.id)) {
    const failures = new Map<number, Failure[]>()
    for (const failure of batch.failures ?? []) {
      failures.set(failure.index, [...(failures.get(failure.index) ?? []), failure])
    }
    const lines = batch.ids.flatMap((_, index) => linesOf(batch, index, failures.get(index) ?? []))
    yield lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  }
}

/** Of one object, and of each part of it that is an object of its own and failed. */
function linesOf(batch: ReportedBatch, index: number, failures: readonly Failure[]): readonly object[] {
  const place = { orgId: batch.organizationId, index: batch.firstIndex + index }
  const outcome = OUTCOMES[batch.outcomes?.[index] ?? ''] ?? 'pending'
  const messages = failures.flatMap(({ type, message }) => (type === undefined ? [message] : []))
  const record = { ...place, type: typeOf(batch.list), id: recordId(batch, index), outcome }
  return [
    { ...record, ...(messages.length > 0 && { message: messages.join('; ') }) },
    ...failures.flatMap(({ type, id, message }) =>
      type === undefined ? [] : [{ ...place, type, id, outcome: 'failed', message }],
    ),
  ]
}
