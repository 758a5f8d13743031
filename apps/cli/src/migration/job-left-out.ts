import { LeftOut, type LeftOutValue } from '@signet/file-formats/sources/left-out'
import { ManagementApiError } from '../api/errors.ts'
import type { Suite } from '../api/suite.ts'
import type { CommandContext } from '../context.ts'
import { appendLines, leftOutLines } from './left-out-report.ts'

/** An entry of the list of an import. */
export interface ListedValue extends LeftOutValue {
  /** A conversion before the import left the value out, or the import itself. */
  readonly by: 'conversion' | 'import'
  readonly orgId?: string
  readonly id?: string
}

/** The list of a conversion as it is kept with the import. */
export interface KeptList {
  readonly entries: readonly LeftOutValue[]
  readonly omitted: number
}

const MOST_ENTRIES = 10_000
/** The server reads 4 MiB. */
const MOST_BYTES = 4_000_000

/** Collects what fits into the list of a job: entries that prevent a sign-in before others. */
export function createListCollector() {
  const collected = { 'sign-in': [], claims: [], settings: [] } as Record<
    LeftOutValue['effect'],
    LeftOutValue[]
  >
  let values = 0
  return {
    add(value: LeftOutValue): void {
      values += 1
      const list = collected[value.effect]
      if (list.length < MOST_ENTRIES) list.push(value)
    },
    list(): KeptList {
      const entries: LeftOutValue[] = []
      let bytes = 0
      for (const value of [...collected['sign-in'], ...collected.claims, ...collected.settings]) {
        bytes += Buffer.byteLength(JSON.stringify(value)) + 1
        if (entries.length === MOST_ENTRIES || bytes > MOST_BYTES) break
        entries.push(value)
      }
      return { entries, omitted: values - entries.length }
    },
  }
}

const pathOf = (jobId: string) => `/admin/v1/jobs/${encodeURIComponent(jobId)}/left-out`

/** Keeps the list of a conversion with the import of its document. A server that refuses it does not stop the import. */
export async function keepList(
  { call }: Suite,
  jobId: string,
  list: KeptList,
  { note }: Pick<CommandContext, 'note'>,
): Promise<void> {
  if (list.entries.length === 0) return
  try {
    await call({ method: 'PUT', path: pathOf(jobId), body: list, repeatable: true })
  } catch (error) {
    if (!(error instanceof ManagementApiError)) throw error
    note(
      `the list of the conversion is not kept with ${jobId}: ${error.message}; --left-out FILE keeps it here`,
    )
  }
}

/** Every value that an import, and the conversion before it, left out or changed. */
export async function listOfJob({ call }: Suite, jobId: string): Promise<readonly ListedValue[]> {
  const response = await call({ method: 'GET', path: pathOf(jobId), repeatable: true })
  const lines = (await response.text()).split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as ListedValue)
}

/** Notes what the import itself left out or changed, adds it to the file of `--left-out`, and returns the number of values. */
export async function noteLeftOut(
  suite: Suite,
  jobId: string,
  { file, note }: Pick<CommandContext, 'note'> & { readonly file: string | undefined },
): Promise<number> {
  const listed = await listOfJob(suite, jobId).catch((error: unknown) => {
    // A server of the version before has no list.
    if (error instanceof ManagementApiError && error.status === 404) return []
    throw error
  })
  const ofImport = listed.filter(({ by }) => by === 'import')
  if (file !== undefined)
    appendLines(
      file,
      ofImport.map((value) => JSON.stringify(value)),
    )
  if (ofImport.length === 0) return 0
  const leftOut = new LeftOut()
  for (const value of ofImport) leftOut.addValue(value)
  note('left out or changed by the import:')
  leftOutLines(leftOut).forEach(note)
  return ofImport.length
}
