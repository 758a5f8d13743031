import { DocumentReader } from '../export/document-reader.ts'
import { problemsOf as recordProblems } from '../export/document-sink.ts'
import { problemText } from '../export/record-check.ts'
import type { ConvertedPart, SourceFile } from './conversion.ts'
import { LeftOut, type LeftOutValue } from './left-out.ts'

/** A file of a test that holds a text, or a value as JSON. */
export const sourceFile = (content: unknown, name = 'realm.json'): SourceFile => ({
  name,
  async *open() {
    yield Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))
  },
})

/** Converts files to the end. `kinds` has the count of each kind that was left out. */
export async function convertAll<Options>(
  convert: (files: readonly SourceFile[], options: Options, leftOut: LeftOut) => AsyncIterable<ConvertedPart>,
  files: readonly SourceFile[],
  options: Options,
) {
  const values: LeftOutValue[] = []
  const leftOut = new LeftOut((value) => values.push(value))
  const parts: ConvertedPart[] = []
  for await (const part of convert(files, options, leftOut)) parts.push(part)
  const records = (list: string) =>
    parts.flatMap((part) => (part.kind === 'record' && part.list === list ? [part.record as never] : []))
  const headers = parts.flatMap((part) => (part.kind === 'organization' ? [part.header] : []))
  const kinds = Object.fromEntries(leftOut.kinds().map(({ kind, count }) => [kind, count]))
  return { parts, records, headers, kinds, values, tasks: leftOut.tasks() }
}

/** The document of the parts of one organization. */
export function documentOf(parts: readonly ConvertedPart[]): string {
  const organization: Record<string, unknown> = {}
  for (const part of parts) {
    if (part.kind === 'organization') Object.assign(organization, part.header)
    else organization[part.list] = [...((organization[part.list] as unknown[]) ?? []), part.record]
  }
  return JSON.stringify({ orgs: [organization] })
}

/** The problems and unknown members that the reader of documents finds. */
export function problemsOf(document: string): readonly string[] {
  const problems: string[] = []
  const reader = new DocumentReader({
    record: () => undefined,
    organization: () => undefined,
    invalid: (record) => problems.push(...recordProblems(record).map(problemText)),
    dropped: (name) => problems.push(`dropped ${name}`),
  })
  reader.write(Buffer.from(document))
  reader.end()
  return problems
}
