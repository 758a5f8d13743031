import type { Queryable } from '@signet/platform/postgres/pool'
import { RECIPIENT_SETTINGS } from '@signet/protocol/application-settings'
import { MARKS } from '../applications/marks.ts'
import type { FieldValues, PlacedObject } from '../bootstrap/object-writer.ts'
import { applicationColumns } from './application-columns.ts'
import type { Columns } from './row-statement.ts'

/** Members of an entry that decide who gets the tokens of an application. */
const RECIPIENT_MEMBERS = [...RECIPIENT_SETTINGS, 'clientSecret'] as const

/** The marks that a change of an entry takes away because the entry does not state them. */
export function unstatedMarks(application: PlacedObject, values: FieldValues): Columns {
  return RECIPIENT_MEMBERS.some((member) => values.has(member)) ? marksNotStated(application) : {}
}

/** Takes the marks away that the entry of an application does not state, since one of its keys changes. */
export async function endMarks(tx: Queryable, application: PlacedObject | undefined): Promise<void> {
  if (application === undefined) return
  const unstated = Object.keys(marksNotStated(application))
  await tx.query({
    name: 'bootstrap.application.end_marks', // primary key
    text: `UPDATE directory.application
              SET may_call_api = may_call_api AND NOT $2::boolean, first_party = first_party AND NOT $3::boolean
            WHERE application_id = $1 AND ((may_call_api AND $2::boolean) OR (first_party AND $3::boolean))`,
    values: [application.id, unstated.includes('may_call_api'), unstated.includes('first_party')],
  })
}

function marksNotStated({ desired }: PlacedObject): Columns {
  const stated = new Map(desired.fields.map(({ name, value }) => [name, value]))
  const unstated = MARKS.filter((mark) => stated.get(mark) !== true)
  return applicationColumns(Object.fromEntries(unstated.map((mark) => [mark, false])))
}
