import { type ListName, shapeOf } from '@signet/file-formats/export/lists'
import type { Job } from '../jobs/job.ts'
import { ORGANIZATION } from './stage-document.ts'
import type { Failure, ReportedBatch, StagedBatchRepository } from './staged-batch-repository.ts'

// The result of an import names every object, so it is written in parts, in constant memory.

interface ReportedError {
  readonly type: string
  readonly id: string
  readonly message: string
}

/** `{errors, success}` of docs/spec 6.3 in pieces; empty members are left out. */
export async function* writeImportResult(
  staged: StagedBatchRepository,
  jobId: string,
): AsyncIterable<string> {
  let errors = 0
  for await (const batch of staged.report(jobId)) {
    const texts = errorsOf(batch).map((error) => JSON.stringify(error))
    if (texts.length > 0) yield `${errors === 0 ? '{"errors":[' : ','}${texts.join(',')}`
    errors += texts.length
  }
  yield `${errors === 0 ? '{' : '],'}"success":{`
  yield* successOf(staged, jobId)
  yield '}}'
}

function typeOf(list: string): string {
  return list === ORGANIZATION ? 'org' : shapeOf(list as ListName).type
}

function recordId({ list, ids, organizationId }: ReportedBatch, index: number): string {
  const id = ids[index] ?? ''
  return list !== ORGANIZATION && shapeOf(list as ListName).scoped ? `${organizationId}_${id}` : id
}

function errorsOf(batch: ReportedBatch): readonly ReportedError[] {
  return (batch.failures ?? []).map(({ index, message, type, id }) => ({
    type: type ?? typeOf(batch.list),
    id: id ?? recordId(batch, index),
    message,
  }))
}

/** Organization by organization; the lists of one come in the order of their names. */
async function* successOf(staged: StagedBatchRepository, jobId: string): AsyncIterable<string> {
  let ordinal = -1
  let list = ''
  let organizations = 0
  let entries = 0
  for await (const batch of staged.report(jobId)) {
    if (batch.ordinal !== ordinal) {
      if (ordinal >= 0) yield entries > 0 ? ']}' : '}'
      yield organizations === 0 ? '"orgs":[' : ','
      yield `{"orgId":${JSON.stringify(batch.organizationId)}`
      organizations += 1
      ordinal = batch.ordinal
      list = ''
      entries = 0
    }
    if (batch.list !== list) {
      if (entries > 0) yield ']'
      entries = 0
      list = batch.list
    }
    const { member, written } = successEntries(batch)
    const texts = written.map((entry) => JSON.stringify(entry))
    if (texts.length > 0) yield `${entries === 0 ? `,${JSON.stringify(member)}:[` : ','}${texts.join(',')}`
    entries += texts.length
  }
  if (ordinal >= 0) yield entries > 0 ? ']}]' : '}]'
}

/** The result entries of a batch, and the member that contains them. */
function successEntries({ list, outcomes, ids, entries, failures, organizationId }: ReportedBatch): {
  readonly member: string
  readonly written: readonly unknown[]
} {
  const indexes = [...(outcomes ?? '')].flatMap((outcome, index) =>
    outcome === 'c' || outcome === 'u' ? [index] : [],
  )
  if (list === ORGANIZATION) {
    const [header] = entries ?? []
    const { domains = [] } = (header ?? {}) as { domains?: readonly string[] }
    const failed = new Set((failures ?? []).flatMap(({ type, id }) => (type === 'domain' ? [id] : [])))
    const written = domains.filter((domain) => !failed.has(`${organizationId}_${domain}`))
    return { member: 'domains', written: indexes.length === 0 ? [] : written }
  }
  const { success: member } = shapeOf(list as ListName)
  if (member === undefined) return { member: '', written: [] }
  return { member, written: indexes.map((index) => (entries === null ? ids[index] : entries[index])) }
}

const OUTCOMES: Readonly<Record<string, string>> = { c: 'created', u: 'updated', s: 'skipped', f: 'failed' }

/** One line of JSON for each object of an import, and before them one for each note. */
export async function* writeImportReport(staged: StagedBatchRepository, job: Job): AsyncIterable<string> {
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
