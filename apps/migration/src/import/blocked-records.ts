import type { AppliedBatch, Failure } from '../jobs/staged-batch.ts'
import type { BlockingRecordRepository } from './blocking-records.repository.ts'
import { referencedKeys } from './planned-objects.ts'

// Records that refer to a record of the same document that is not imported: they are no failures of their own.

const KINDS: Readonly<Record<string, string>> = {
  organization: 'organization',
  principal: 'user',
  project: 'project',
  application: 'application',
  idp: 'identity provider',
  role: 'role',
}

/** Records of one list and organization, as a JSON list. */
interface Records {
  readonly list: string
  readonly organizationId: string
  readonly records: Buffer
}

type Result = Pick<AppliedBatch, 'outcomes' | 'failures'>

/** Marks the failed records that are blocked by others, in the results of calls. */
export type MarkBlocked = <R extends Result>(
  jobId: string,
  calls: readonly Records[],
  results: readonly R[],
) => Promise<readonly R[]>

/** Returns the results with the letter `b` and the record that is to blame, where a record of the document is. */
export function createMarkBlocked(blocking: BlockingRecordRepository): MarkBlocked {
  return async (jobId, calls, results) => {
    const missing = results.map((result, at) => missingOf(calls[at], result))
    const wanted = new Set(missing.flatMap((keys) => [...keys.values()].flat()))
    if (wanted.size === 0) return results
    const found = new Map((await blocking.find(jobId, [...wanted])).map(({ key, name }) => [key, name]))
    if (found.size === 0) return results
    return results.map((result, at) => {
      const keysOf = missing[at]
      const letters = [...result.outcomes]
      const failures = result.failures.map((failure): Failure => {
        const key = keysOf?.get(failure.index)?.find((wantedKey) => found.has(wantedKey))
        if (key === undefined) return failure
        letters[failure.index] = 'b'
        return blocked(failure, key, found.get(key) ?? undefined)
      })
      return { ...result, outcomes: letters.join(''), failures }
    })
  }
}

/** The keys of everything that failed records refer to, by index, where one of them is not there. */
function missingOf(
  call: Records | undefined,
  { outcomes, failures }: Result,
): ReadonlyMap<number, readonly string[]> {
  const indexes = failures.flatMap(({ index, isMissing }) =>
    outcomes[index] === 'f' && isMissing ? [index] : [],
  )
  if (call === undefined || call.list === 'organization' || indexes.length === 0) return new Map()
  const { list, organizationId } = call
  const records = JSON.parse(call.records.toString('utf8')) as readonly unknown[]
  return new Map(indexes.map((index) => [index, referencedKeys(list, organizationId, [records[index]])]))
}

function blocked({ index, record }: Failure, key: string, name: string | undefined): Failure {
  const place = key.indexOf('/')
  const kind = KINDS[key.slice(0, place)] ?? 'record'
  const id = key.slice(place + 1)
  const shown = name === undefined || name === id ? id : `${name} (${id})`
  return {
    index,
    message: `not imported because ${kind} ${shown} was not`,
    ...(record !== undefined && { record }),
    blockedBy: { kind, id: shown },
  }
}
