import { type ListName, shapeOf } from '@signet/file-formats/export/lists'
import type { ReportedBatch, StagedStore } from '../stores/staged-store.ts'
import { ORGANIZATION } from './stage-document.ts'

// The result of an import names every object, so it is written in parts, in constant memory.

interface ReportedError {
  readonly type: string
  readonly id: string
  readonly message: string
}

/** `{errors, success}` of docs/spec 6.3 in pieces; empty members are left out. */
export async function* importResult(staged: StagedStore, jobId: string): AsyncIterable<string> {
  let errors = 0
  for await (const batch of staged.report(jobId)) {
    const told = errorsOf(batch).map((error) => JSON.stringify(error))
    if (told.length > 0) yield `${errors === 0 ? '{"errors":[' : ','}${told.join(',')}`
    errors += told.length
  }
  yield `${errors === 0 ? '{' : '],'}"success":{`
  yield* successOf(staged, jobId)
  yield '}}'
}

export function typeOf(list: string): string {
  return list === ORGANIZATION ? 'org' : shapeOf(list as ListName).type
}

export function recordId({ list, ids, organizationId }: ReportedBatch, index: number): string {
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
async function* successOf(staged: StagedStore, jobId: string): AsyncIterable<string> {
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
    const told = written.map((entry) => JSON.stringify(entry))
    if (told.length > 0) yield `${entries === 0 ? `,${JSON.stringify(member)}:[` : ','}${told.join(',')}`
    entries += told.length
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
