import { APPLICATION_COLUMNS } from '@signet/protocol/application-settings'
import type { Columns } from '../database/row-statement.ts'

/** The column of each setting of an application. */
const COLUMNS = { ...APPLICATION_COLUMNS, state: 'state' }

/** The SELECT list for an application; `a` is the alias of its table. Each setting has its own name. */
export const APPLICATION_SELECT_LIST = [
  'a.application_id AS id, a.project_id AS "projectId", a.created_at AS "createdAt"',
  ...Object.entries(COLUMNS).map(([setting, column]) =>
    setting === 'type'
      ? `CASE a.type WHEN 'user_agent' THEN 'userAgent' ELSE a.type END AS type`
      : `a.${column} AS "${setting}"`,
  ),
].join(', ')

/** The columns of the given settings. */
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
