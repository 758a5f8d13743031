import type { RecordProblem } from '@signet/file-formats/export/record-check'
import type { JobError } from '../jobs/job.ts'
import type { Duplicate, Failure } from '../jobs/staged-batch.ts'

export interface StagedProblem {
  readonly text: string
  readonly problem: RecordProblem
}

interface InvalidCounts {
  readonly problemCount: number
  readonly records: number
  readonly credentialsOnly: number
}

/**
 * The error of an invalid document, for `errors` and `details`: the first problem as a sentence, then as many as are
 * given.
 */
export function invalidDocument(
  problems: readonly StagedProblem[],
  { problemCount, records, credentialsOnly }: InvalidCounts = {
    problemCount: problems.length,
    records: problems.length,
    credentialsOnly: 0,
  },
): JobError {
  const [first] = problems
  const more = problemCount > 1 ? ` (and ${problemCount - 1} more problems, see the report)` : ''
  return {
    code: 'INVALID_ARGUMENT',
    message: `${first?.text ?? 'the document is not valid'}${more}; nothing was imported`,
    resumable: false,
    details: [
      ...problems.map(({ text, problem }) => ({ id: 'document_invalid', message: text, ...problem })),
      {
        id: 'invalid_records',
        message: `${records} records are invalid, of ${credentialsOnly} of them only the password hash or OTP secret`,
        records,
        credentialsOnly,
      },
    ],
  }
}

export function tooManyRejects(): JobError {
  return {
    code: 'INVALID_ARGUMENT',
    message: 'the invalid records of the document are together larger than 256 MiB; nothing was imported',
    resumable: false,
    details: [{ id: 'document_invalid' }],
  }
}

export function unreadableDocument(message: string): JobError {
  return {
    code: 'INVALID_ARGUMENT',
    message: `${message}; nothing was imported`,
    resumable: false,
    details: [{ id: 'document_unreadable' }],
  }
}

const MOST_DIFFERENCES = 100

/** The error of an import whose plan does not hold, with the records of the first batch for which it does not. */
export function planOutdated({
  organizationId,
  list,
  ids,
  failures,
  hasWritten,
}: {
  readonly organizationId: string
  readonly list: string
  readonly ids: readonly string[]
  readonly failures: readonly Failure[]
  /** Whether batches may have been written before this one. */
  readonly hasWritten: boolean
}): JobError {
  const rest = hasWritten
    ? 'their batch and those behind it are not written. Take back what is written with an undo, or make a new plan'
    : 'nothing is written. Make a new plan'
  const shown = failures.slice(0, MOST_DIFFERENCES)
  return {
    code: 'ABORTED',
    message: `the target changed since the plan was made: ${failures.length} records of ${list} of organization ${organizationId} would not end as planned; ${rest}`,
    resumable: false,
    details: shown.map(({ index, message }) => ({
      id: 'plan_outdated',
      organizationId,
      list,
      recordId: ids[index] ?? '',
      message,
    })),
  }
}

/** Member of a record that must be unique, by the beginning of its key. */
const FIELDS: Readonly<Record<string, string>> = {
  organization: 'orgId',
  principal: 'userId or clientId',
  name: 'user.userName',
  project: 'projectId',
  application: 'appId',
  'user-grant': 'userId',
  idp: 'idpId',
  action: 'actionId',
  grant: 'grantId',
  domain: 'domains',
}

export const GIVEN_TWICE = 'is given more than once in the document'

export function duplicateProblem({ ordinal, list, index, key }: Duplicate): StagedProblem {
  const kind = key.replace(/^\d*@\//, '').split('/')[0] ?? ''
  const isOrganization = list === 'organization'
  const field = FIELDS[kind] ?? ''
  const rule = GIVEN_TWICE
  const place = isOrganization ? `orgs[${ordinal}]` : `orgs[${ordinal}].${list}[${index}]`
  return {
    text: `${place}${field === '' ? '' : `.${field}`}: ${rule}`,
    problem: { organization: ordinal, field, rule, ...(!isOrganization && { list, index }) },
  }
}
