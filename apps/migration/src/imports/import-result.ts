import { type ListName, shapeOf } from '@signet/export-format/lists'
import type { ReportedBatch, StagedStore } from '../stores/staged-store.ts'
import { ORGANIZATION } from './stage-document.ts'

// The answer of an import names every object: it is written piece by piece, whatever its size.

interface ReportedError {
  readonly type: string
  readonly id: string
  readonly message: string
}

/** `{errors, success}` of export-format.md section 1.7 in pieces; what would be empty is left out. */
export async function* importResult(staged: StagedStore, jobId: string): AsyncIterable<string> {
  let errors = 0
  for await (const batch of staged.report(jobId)) {
    for (const error of errorsOf(batch)) {
      yield `${errors === 0 ? '{"errors":[' : ','}${JSON.stringify(error)}`
      errors += 1
    }
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
  return (batch.failures ?? []).map(({ index, message }) => ({
    type: typeOf(batch.list),
    id: recordId(batch, index),
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
    for (const [member, entry] of successEntries(batch)) {
      yield `${entries === 0 ? `,${JSON.stringify(member)}:[` : ','}${JSON.stringify(entry)}`
      entries += 1
    }
  }
  if (ordinal >= 0) yield entries > 0 ? ']}]' : '}]'
}

function successEntries({
  list,
  outcomes,
  ids,
  entries,
}: ReportedBatch): readonly (readonly [string, unknown])[] {
  const written = [...(outcomes ?? '')].flatMap((outcome, index) =>
    outcome === 'c' || outcome === 'u' ? [index] : [],
  )
  if (list === ORGANIZATION) {
    const [header] = entries ?? []
    const { domains = [] } = (header ?? {}) as { domains?: readonly string[] }
    return written.length === 0 ? [] : domains.map((domain) => ['domains', domain] as const)
  }
  const { success } = shapeOf(list as ListName)
  if (success === undefined) return []
  return written.map((index) => [success, entries === null ? ids[index] : entries[index]] as const)
}
