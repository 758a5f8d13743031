import { APPLICATION_SETTING_COLUMNS } from '@signet/directory-reader/application-setting-columns'
import type { ApplicationSettings } from '../applications/application.ts'
import type { Columns } from './row-statement.ts'

/** Where each setting of an application lies. */
const COLUMNS = {
  ...APPLICATION_SETTING_COLUMNS,
  state: 'state',
} as const satisfies Readonly<Record<keyof ApplicationSettings, string>>

export const APPLICATION_SETTINGS: readonly string[] = Object.keys(COLUMNS)

/** The list of a SELECT that reads every setting under its name. */
export const APPLICATION_SELECT_LIST = Object.entries(COLUMNS)
  .map(([setting, column]) =>
    setting === 'type'
      ? `CASE type WHEN 'user_agent' THEN 'userAgent' ELSE type END AS type`
      : `${column} AS "${setting}"`,
  )
  .join(', ')

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
