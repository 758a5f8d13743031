import type { LeftOut, TypedWriter } from './record-writer.ts'

/** The clocks of two instances differ by less. */
const MOST_SKEW_MS = 300_000

const MEMBERS = ['creationDate', 'changeDate'] as const
type Timed = { readonly [Member in (typeof MEMBERS)[number]]?: string | undefined }

/**
 * The writer of records without times of creation and change that lie in the future. One that is ahead by no more than
 * clocks differ becomes the time of the import; a later one is left out and reported.
 */
export function withPastTimes<R extends Timed>(writer: TypedWriter<R>): TypedWriter<R> {
  return {
    ...writer,
    async underRules(tx, records, context) {
      const ruled = (await writer.underRules?.(tx, records, context)) ?? {
        records,
        leftOut: [],
        refused: new Map(),
      }
      const leftOut: LeftOut[] = [...ruled.leftOut]
      const past = ruled.records.map((record, index) => {
        const ahead = MEMBERS.filter((member) => aheadOf(record[member], context.acceptedAt) > 0)
        if (ahead.length === 0) return record
        const corrected = ahead.map((member) => {
          if (aheadOf(record[member], context.acceptedAt) <= MOST_SKEW_MS) {
            return [member, context.acceptedAt.toISOString()]
          }
          leftOut.push({ index, message: `${member} is left out: it is in the future` })
          return [member, undefined]
        })
        return { ...record, ...Object.fromEntries(corrected) }
      })
      return { ...ruled, records: past, leftOut }
    },
  }
}

function aheadOf(time: string | undefined, now: Date): number {
  return time === undefined ? 0 : Date.parse(time) - now.getTime()
}
