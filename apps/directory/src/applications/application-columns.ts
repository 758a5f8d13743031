import { APPLICATION_COLUMNS } from '@signet/protocol/application-settings'
import type { Columns } from '../database/row-statement.ts'

/** Where each setting of an application lies. */
const COLUMNS = { ...APPLICATION_COLUMNS, state: 'state' }

/** The list of a SELECT that reads an application of the table with the alias `a`, every setting under its name. */
export const APPLICATION_SELECT_LIST = [
  'a.application_id AS id, a.project_id AS "projectId", a.created_at AS "createdAt"',
  ...Object.entries(COLUMNS).map(([setting, column]) =>
    setting === 'type'
      ? `CASE a.type WHEN 'user_agent' THEN 'userAgent' ELSE a.type END AS type`
      : `a.${column} AS "${setting}"`,
  ),
].join(', ')

/** The columns of the settings that are given. */
export function applicationColumns(settings: object): Columns {
  const values: Readonly<Record<string, unknown>> = { ...settings }
  const given = Object.entries(COLUMNS).filter(([setting]) => values[setting] !== undefined)
  return Object.fromEntries(
    given.map(([setting, column]) => [
      column,
      setting === 'type' && values.type === 'userAgent' ? 'user_agent' : values[setting],
    ]),
  )
}
