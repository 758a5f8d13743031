import { stringify } from 'yaml'
import { UsageError } from '../usage-error.ts'
import { tableOf } from './answer-table.ts'

const FORMATS: Readonly<Record<string, (value: unknown) => string>> = {
  table: tableOf,
  json: (value) => JSON.stringify(value, null, 2),
  yaml: (value) => stringify(value).trimEnd(),
}

export const OUTPUT_NAMES = Object.keys(FORMATS)

/** How `--output NAME` writes an answer. Throws UsageError for a name that is none. */
export function outputFormat(name: string): (value: unknown) => string {
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined
  if (format === undefined) throw new UsageError(`--output: must be ${OUTPUT_NAMES.join(', ')}`)
  return format
}
