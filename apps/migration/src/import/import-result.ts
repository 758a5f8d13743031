import { type ListName, shapeOf } from '@signet/file-formats/export/lists'
import type { Job } from '../jobs/job.ts'
import type { Failure, ReportedBatch, StagedBatchRepository } from '../jobs/staged-batch.ts'
import { isWritten, ORGANIZATION } from '../jobs/staged-batch.ts'
import type { RejectedBatch, RejectedBatchRepository, ReportedReject } from './rejected-batch.repository.ts'

// The result of an import names every object, so it is written in parts, in constant memory.

interface ReportedError {
  readonly type: string
  readonly id: string
  readonly message: string
}

interface Repositories {
  readonly staged: StagedBatchRepository
  readonly rejected: RejectedBatchRepository
}

/** `{errors, success}` of docs/spec 6.3 in pieces; of a dry run also `plan` and `credentials`. Empty members are left out. */
export async function* writeImportResult(
  { staged, rejected }: Repositories,
  jobId: string,
  dryRun: { readonly plan?: object | undefined; readonly credentials?: object | null | undefined } = {},
): AsyncIterable<string> {
  let errors = 0
  for await (const reported of allErrors({ staged, rejected }, jobId)) {
    const texts = reported.map((error) => JSON.stringify(error))
    if (texts.length > 0) yield `${errors === 0 ? '{"errors":[' : ','}${texts.join(',')}`
    errors += texts.length
  }
  const members = Object.entries(dryRun).map(([name, value]) =>
    value === undefined || value === null ? '' : `${JSON.stringify(name)}:${JSON.stringify(value)},`,
  )
  yield `${errors === 0 ? '{' : '],'}${members.join('')}"success":{`
  yield* successOf(staged, jobId)
  yield '}}'
}

/** `{deleted, restored, skipped, kept}` of an undo in pieces; the records that it kept, each with the reason. */
export async function* writeUndoResult(
  { staged }: Pick<Repositories, 'staged'>,
  { id, counts: { deleted, restored, skipped } }: Job,
): AsyncIterable<string> {
  yield `${JSON.stringify({ deleted, restored, skipped }).slice(0, -1)},"kept":[`
  let kept = 0
  for await (const batch of staged.reportFailures(id)) {
    const texts = errorsOf(batch).map((error) => JSON.stringify(error))
    if (texts.length > 0) yield `${kept === 0 ? '' : ','}${texts.join(',')}`
    kept += texts.length
  }
  yield ']}'
}

async function* allErrors(
  { staged, rejected }: Repositories,
  jobId: string,
): AsyncIterable<readonly ReportedError[]> {
  for await (const batch of rejected.report(jobId))
    yield batch.problems.map((reject) => rejectError(batch, reject))
  for await (const batch of staged.reportFailures(jobId)) yield errorsOf(batch)
}

function rejectError(batch: RejectedBatch, { index, id = '', problems }: ReportedReject): ReportedError {
  const place = index === undefined ? '' : `.${batch.list}[${index}]`
  const told = problems.map(({ field, rule }) => (field === '' ? rule : `${field}: ${rule}`)).join('; ')
  const left = batch.imported ? 'imported without its password hash or OTP secret' : 'not imported'
  return { type: typeOf(batch.list), id, message: `orgs[${batch.ordinal}]${place} is ${left}: ${told}` }
}

function typeOf(list: string): string {
  return list === ORGANIZATION ? 'org' : shapeOf(list as ListName).type
}

function recordId({ list, ids, organizationId }: ReportedBatch, index: number): string {
  const id = ids[index] ?? ''
  return list !== ORGANIZATION && shapeOf(list as ListName).scoped ? `${organizationId}_${id}` : id
}

function errorsOf(batch: ReportedBatch): readonly ReportedError[] {
  const failures = (batch.failures ?? []).filter(({ blockedBy }) => blockedBy === undefined)
  return failures.map(({ index, message, type, id }) => ({
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

const OUTCOMES: Readonly<Record<string, string>> = {
  c: 'created',
  u: 'updated',
  s: 'skipped',
  f: 'failed',
  b: 'blocked',
  d: 'deleted',
  r: 'restored',
  k: 'kept',
}
const ACTIONS: Readonly<Record<string, string>> = { c: 'create', u: 'update', s: 'skip', f: 'conflict' }

/**
 * Writes a line of JSON for each object of an import; before them a line for each note, and for each rule that a
 * record breaks, of the first 10,000 such records.
 */
export async function* writeImportReport(
  { staged, rejected }: Repositories,
  job: Job,
): AsyncIterable<string> {
  for (const note of job.notes) yield `${JSON.stringify({ note })}\n`
  let untold = 0
  for await (const batch of rejected.report(job.id)) {
    untold += batch.recordCount - batch.problems.length
    const lines = batch.problems.flatMap((reject) => rejectLines(batch, reject))
    yield lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  }
  // The fields of an organization with rejects are in a batch that counts no record.
  if (untold > 0)
    yield `${JSON.stringify({ note: `${untold} more invalid records are not in this report` })}\n`
  for await (const batch of staged.report(job.id)) {
    const failures = new Map<number, Failure[]>()
    for (const failure of batch.failures ?? []) {
      failures.set(failure.index, [...(failures.get(failure.index) ?? []), failure])
    }
    const fields = new Map(batch.changes?.map((change) => [change.index, change.fields]))
    const isPlan = job.request.dryRun === true
    const planned = (index: number) => ({
      action: ACTIONS[batch.outcomes?.[index] ?? ''],
      fields: fields.get(index),
    })
    const lines = batch.ids.flatMap((_, index) =>
      linesOf(batch, index, failures.get(index) ?? [], isPlan ? planned(index) : {}),
    )
    yield lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  }
}

function rejectLines(batch: RejectedBatch, { index, id, problems }: ReportedReject): readonly object[] {
  const place = {
    ...(batch.organizationId !== null && { orgId: batch.organizationId }),
    organization: batch.ordinal,
    type: typeOf(batch.list),
    ...(index !== undefined && { list: batch.list, index }),
    ...(id !== undefined && { id }),
    outcome: batch.imported ? 'withoutPassword' : 'invalid',
  }
  return problems.map(({ field, rule }) => ({ ...place, field, rule }))
}

/** Returns the lines of an object, and of each failed part of it that is an object of its own. */
function linesOf(
  batch: ReportedBatch,
  index: number,
  failures: readonly Failure[],
  planned: object,
): readonly object[] {
  // It has a line of its own.
  if (batch.outcomes?.[index] === 'x') return []
  const place = { orgId: batch.organizationId, index: batch.indexes?.[index] ?? batch.firstIndex + index }
  const outcome = OUTCOMES[batch.outcomes?.[index] ?? ''] ?? 'pending'
  const messages = failures.flatMap(({ type, message }) => (type === undefined ? [message] : []))
  const record = { ...place, type: typeOf(batch.list), id: recordId(batch, index), outcome }
  return [
    {
      ...record,
      ...planned,
      ...(failures.length > 0 && isWritten(batch.outcomes, index) && { withChanges: true }),
      ...(messages.length > 0 && { message: messages.join('; ') }),
    },
    ...failures.flatMap(({ type, id, message }) =>
      type === undefined ? [] : [{ ...place, type, id, outcome: 'failed', message }],
    ),
  ]
}
