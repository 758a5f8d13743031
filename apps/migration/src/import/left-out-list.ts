import { type LeftOutValue, leftOutValue } from '@signet/file-formats/sources/left-out'
import type { Job } from '../jobs/job.ts'
import type { LeftOutListRepository } from '../jobs/left-out-list.repository.ts'
import {
  type Failure,
  isWritten,
  ORGANIZATION,
  type ReportedBatch,
  type StagedBatchRepository,
} from '../jobs/staged-batch.ts'
import type { RejectedBatch, RejectedBatchRepository, ReportedReject } from './rejected-batch.repository.ts'

// The values that an import leaves out or changes, in the words of the conversions: one list for both.

/** An entry of the list, with its place. */
export interface ListedValue extends LeftOutValue {
  /** Whether a conversion before the import left the value out, or the import itself. */
  readonly by: 'conversion' | 'import'
  readonly orgId?: string
  /** The id of the record. */
  readonly id?: string
  readonly member?: string
}

interface Repositories {
  readonly staged: StagedBatchRepository
  readonly rejected: RejectedBatchRepository
  readonly leftOut: LeftOutListRepository
}

/** Writes a line of JSON for each value: those of the conversion, then those of the import. */
export async function* writeLeftOut(
  { leftOut, ...repositories }: Repositories,
  job: Job,
): AsyncIterable<string> {
  const { entries, omitted } = await leftOut.find(job.id)
  yield linesOf(entries.map((entry) => ({ ...entry, by: 'conversion' as const })))
  if (omitted > 0) {
    const more = {
      ...leftOutValue('values that the list of the conversion does not hold', ''),
      about: 'other' as const,
    }
    yield linesOf([{ ...more, count: omitted, by: 'conversion' }])
  }
  for await (const listed of importLeftOut(repositories, job)) yield linesOf(listed)
}

const linesOf = (listed: readonly ListedValue[]) =>
  listed.map((value) => `${JSON.stringify(value)}\n`).join('')

async function* importLeftOut(
  { staged, rejected }: Omit<Repositories, 'leftOut'>,
  job: Job,
): AsyncIterable<readonly ListedValue[]> {
  yield job.notes.flatMap(valuesOfNote)
  for await (const batch of rejected.report(job.id))
    yield batch.problems.flatMap((reject) => valuesOfReject(batch, reject))
  for await (const batch of staged.reportFailures(job.id))
    yield (batch.failures ?? []).map((failure) => valueOfFailure(batch, failure))
}

/** A member without the places in its lists, so that equal losses are counted together. */
const kindOf = (member: string) => member.replace(/\[\d+\]/g, '[]')

const kept = (list: string, member: string, rule: string) =>
  `${list}, kept without this member: ${kindOf(member)}: ${rule}`

function valuesOfReject(
  { list, organizationId, imported }: RejectedBatch,
  { id, problems }: ReportedReject,
): readonly ListedValue[] {
  return problems.map(({ field, rule }) => {
    const member = field === '' ? 'the record' : field
    const what = imported ? kept(list, member, rule) : `${list}, left out: ${kindOf(member)}: ${rule}`
    return {
      ...leftOutValue(what, id ?? ''),
      ...placeOf(organizationId, id),
      ...(field !== '' && { member: field }),
    }
  })
}

function valueOfFailure(batch: ReportedBatch, failure: Failure): ListedValue {
  const { list, organizationId, ids, outcomes } = batch
  const { index, message, type, member, blockedBy } = failure
  const id = failure.id ?? ids[index]
  const name = failure.record ?? id ?? ''
  return {
    ...leftOutValue(whatOf(), name, blockedBy?.id ?? failure.value),
    ...placeOf(organizationId, id),
    ...(member && { member }),
  }

  function whatOf(): string {
    if (blockedBy !== undefined) return `${list}, not imported because the ${blockedBy.kind} was not`
    if (type !== undefined) return `${list === ORGANIZATION ? 'organization' : list}, ${type}: ${message}`
    if (member !== undefined) return kept(list, member, message.slice(`${member} is left out: `.length))
    return `${list}, ${isWritten(outcomes, index) ? 'changed' : 'left out'}: ${message}`
  }
}

function placeOf(organizationId: string | null, id: string | undefined) {
  return {
    by: 'import' as const,
    ...(organizationId !== null && { orgId: organizationId }),
    ...(id !== undefined && { id }),
  }
}

/** The notes about values that are left out, not obeyed, or an administrator's to set. Others are no loss. */
const NOTES: readonly (readonly [note: RegExp, valuesOf: (...parts: string[]) => readonly ListedValue[]])[] =
  [
    [
      /^the member (.+) is not part of the format: left out (\d+) times$/,
      (member, times) => [
        {
          ...leftOutValue(`members that are not part of the format: ${member}`, ''),
          count: Number(times),
          by: 'import',
        },
      ],
    ],
    [
      /^organization (\S+): (not obeyed here|the setting of the instance holds instead|its people cannot sign in with a password): (.+)$/,
      (orgId, what, members) =>
        members.split(/, (?=\w+Policy\.)/).map((member) => ({
          ...leftOutValue(`policies, ${what}: ${member}`, orgId),
          ...{ by: 'import' as const, orgId, member: member.split(' ')[0] ?? member },
        })),
    ],
    [
      /^application (\S+?)(?: \(client_id (\S+)\))?: came without a client secret$/,
      (id, clientId) => [
        { ...leftOutValue('applications, came without a client secret', clientId ?? id), by: 'import', id },
      ],
    ],
    [
      /^application (\S+): its client id is now (\S+)$/,
      (id, clientId) => [
        { ...leftOutValue('applications, the client id is new', clientId, clientId), by: 'import', id },
      ],
    ],
    [
      /^application (\S+?)(?: \(client_id (\S+)\))?: (\w+) is not imported; an IAM_OWNER sets it$/,
      (id, clientId, mark) => [
        {
          ...leftOutValue(`applications, set by an IAM_OWNER alone: ${mark}`, clientId ?? id, mark),
          ...{ by: 'import' as const, id, member: `app.${mark}` },
        },
      ],
    ],
    [
      /^(\d+) users of organization (\S+) have (\w+): stored, not used$/,
      (count, orgId, member) => [
        {
          ...leftOutValue(`members of users that are stored, not used: ${member}`, orgId),
          count: Number(count),
          by: 'import',
          orgId,
          member,
        },
      ],
    ],
    [
      /^(\d+) records of (\w+) are stored, not interpreted$/,
      (count, list) => [
        {
          ...leftOutValue(`organization, records that are stored, not interpreted: ${list}`, ''),
          count: Number(count),
          by: 'import',
        },
      ],
    ],
  ]

function valuesOfNote(note: string): readonly ListedValue[] {
  for (const [pattern, valuesOf] of NOTES) {
    const found = pattern.exec(note)
    if (found !== null) return valuesOf(...found.slice(1))
  }
  return []
}
