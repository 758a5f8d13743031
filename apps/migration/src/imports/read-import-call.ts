import {
  DocumentContents,
  DocumentError,
  DocumentReader,
  type DocumentSink,
  type DocumentSummary,
} from '@signet/file-formats/export/document-reader'
import { JsonScanner, parseJson, type Reading } from '@signet/file-formats/export/json-scanner'
import { isStorageMember } from '../storage/storage-member.ts'

/** The members of an import call besides the document. */
export interface ImportCall {
  /** The other members that this API knows, by their names in lowerCamelCase. */
  readonly members: ReadonlyMap<string, unknown>
  /** The members that name the source: exactly one for a valid call. */
  readonly sources: readonly string[]
  /** Of the document in the body; undefined when the call names another source. */
  readonly document?: DocumentSummary
}

const INLINE = ['dataOrgs', 'dataOrgsv1']
const OPTIONS = ['timeout', 'onConflict', 'dryRun', 'ignoreChecksum']

const MOST_OPTION_BYTES = 65_536

/**
 * Reads the body of an import call in chunks, its members in any order. The document may stand there as an object or
 * as a string that holds one.
 */
export function importCallReader(sink: DocumentSink) {
  const members = new Map<string, unknown>()
  const sources: string[] = []
  let document: (() => DocumentSummary) | undefined

  const inline = (written: string): Reading => {
    if (document !== undefined) throw new DocumentError('only one of data_orgsv1 and data_orgs may be given')
    const contents = new DocumentContents(sink)
    document = () => contents.summary()
    return {
      ...contents.reading,
      name: written,
      text: {
        ...textReading(written, sink, (summary) => {
          document = () => summary
        }),
      },
    }
  }
  const scanner = new JsonScanner({
    name: 'the body',
    object: {
      member(written) {
        const name = camelName(written)
        if (INLINE.includes(name)) {
          sources.push(name)
          return inline(written)
        }
        const known = isStorageMember(name) || OPTIONS.includes(name)
        return {
          name: known ? written : 'a member that is not part of the call',
          whole: {
            limitBytes: MOST_OPTION_BYTES,
            value: (bytes) => {
              const value = parseJson(bytes, known ? written : 'a member')
              // protojson reads null as absent.
              if (!known || value === null) return
              if (members.has(name)) throw new DocumentError(`${written} is given twice, also in snake_case`)
              if (isStorageMember(name)) sources.push(name)
              members.set(name, camelMembers(value))
            },
          },
        }
      },
    },
  })
  return {
    write: (chunk: Buffer) => scanner.write(chunk),
    end(): ImportCall {
      scanner.end()
      const summary = document?.()
      return { members, sources, ...(summary && { document: summary }) }
    },
  }
}

function textReading(member: string, sink: DocumentSink, done: (summary: DocumentSummary) => void) {
  const reader = new DocumentReader(sink)
  const named = (work: () => void) => {
    try {
      work()
    } catch (cause) {
      if (!(cause instanceof DocumentError)) throw cause
      throw new DocumentError(`${member} is a text that is not a document: ${cause.message}`, { cause })
    }
  }
  return {
    write: (piece: Buffer) => named(() => reader.write(piece)),
    end: () => named(() => done(reader.end())),
  }
}

/** The members of a place have both spellings too. */
function camelMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [camelName(name), member]))
}

/** Also `dataOrgsv1S3` for `data_orgsv1_s3`. */
const camelName = (name: string): string =>
  name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
