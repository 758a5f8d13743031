import type { Attempt } from '@signet/admin-api/audit/audit-recorder'
import {
  DocumentContents,
  DocumentReader,
  type DocumentSummary,
} from '@signet/file-formats/export/document-reader'
import type { DocumentSink } from '@signet/file-formats/export/document-sink'
import { JsonScanner, parseJson, type Reading } from '@signet/file-formats/json-stream/json-scanner'
import { UnexpectedJsonError } from '@signet/file-formats/json-stream/json-values'
import type { JobService } from '../jobs/job.service.ts'
import type { ImportRequest, JobError, Refusal } from '../jobs/job.ts'
import { isStorageMember, type RequestedLocation } from '../jobs/requested-location.ts'
import type { StagedBatchRepository } from '../jobs/staged-batch.ts'
import type { StagedSealer } from '../sealing.ts'
import { tooManyRejects, unreadableDocument } from './document-problems.ts'
import type { RejectedBatchRepository } from './rejected-batch.repository.ts'
import { TooManyRejects } from './rejects.ts'
import {
  createStager,
  invalidRecordsError,
  invalidRecordsNotes,
  NO_META,
  type StagedDocument,
} from './stage-document.ts'

interface Dependencies {
  readonly service: JobService
  readonly staged: StagedBatchRepository
  readonly rejected: RejectedBatchRepository
  readonly sealer: StagedSealer
}

/** Error of a document that is refused before it is accepted. */
export class ImportRefused extends Error {
  readonly refusal: Refusal

  constructor(error: JobError, hasAllRejects = false) {
    super(error.message)
    this.refusal = { error, hasAllRejects }
  }
}

/** Call whose body is being received. */
export interface ReceivedImport {
  /** Rejects with ImportRefused as soon as the body cannot be imported. */
  write(chunk: Buffer): Promise<void>
  /** The options of the call, at the end of its body. Rejects with ImportRefused. */
  end(): Promise<ImportCall>
  /**
   * Stores the import, which from then on survives the process. Returns the id of its job. Rejects with ImportRefused when
   * the document has invalid records that the request does not allow.
   */
  accept(request: ImportRequest, timeoutMs: number, location: RequestedLocation | undefined): Promise<string>
  /** Ends the job of an import that is refused, which keeps the reason. Returns its id. */
  refuse(refusal: Refusal, request: Partial<ImportRequest>): Promise<string>
  /** Removes the received parts. */
  discard(): Promise<void>
}

/** Stages the document of a call record by record, in constant memory. */
export function createReceiveImport({ service, staged, rejected, sealer }: Dependencies) {
  return async (attempt: Attempt): Promise<ReceivedImport> => {
    const jobId = await service.beginImport(attempt)
    const stager = createStager(jobId, { staged, rejected, sealer })
    const reader = importCallReader(stager.sink)
    let document: StagedDocument | undefined
    let isForeign = false

    const reading = <T>(read: () => T): T => {
      try {
        return read()
      } catch (error) {
        if (error instanceof UnexpectedJsonError) throw new ImportRefused(unreadableDocument(error.message))
        if (error instanceof TooManyRejects) throw new ImportRefused(tooManyRejects())
        throw error
      }
    }
    return {
      async write(chunk) {
        reading(() => reader.write(chunk))
        await stager.flush()
      },
      async end() {
        const call = reading(() => reader.end())
        document = await stager.finish()
        isForeign = call.document !== undefined && call.document.meta === undefined
        return call
      },
      async accept(request, timeoutMs, location) {
        if (document === undefined) throw new Error('the body was not read to its end')
        const { onInvalid = 'fail' } = request
        const { invalid } = document
        const error = invalidRecordsError(onInvalid, invalid)
        if (error !== undefined) throw new ImportRefused(error, true)
        if (invalid.records > 0) await staged.decide(jobId, onInvalid)
        const notes = [
          ...document.notes,
          ...invalidRecordsNotes(onInvalid, invalid),
          ...(isForeign ? [NO_META] : []),
        ]
        await service.acceptImport(jobId, attempt, { request, timeoutMs, notes, location })
        return jobId
      },
      async refuse(refusal, request) {
        await stager.settled()
        await service.refuseImport(jobId, attempt, { refusal, request })
        return jobId
      },
      async discard() {
        await stager.settled()
        await service.discardImport(jobId)
      },
    }
  }
}

/** The members of an import call besides the document. */
export interface ImportCall {
  /** The other members that this API knows, by their names in lowerCamelCase. */
  readonly members: ReadonlyMap<string, unknown>
  /** The members that name the source: exactly one for a valid call. */
  readonly sources: readonly string[]
  /** Summary of the document in the body; undefined when the call names another source. */
  readonly document?: DocumentSummary
}

const INLINE = ['dataOrgs', 'dataOrgsv1']
const OPTIONS = ['timeout', 'orgIds', 'onConflict', 'onInvalid', 'dryRun', 'ignoreChecksum', 'source']

const MOST_OPTION_BYTES = 65_536

/**
 * Reads the body of an import call in chunks, its members in any location. The document may stand there as an object or
 * as a string that holds one.
 */
function importCallReader(sink: DocumentSink) {
  const members = new Map<string, unknown>()
  const sources: string[] = []
  let document: (() => DocumentSummary) | undefined

  const inline = (written: string): Reading => {
    if (document !== undefined)
      throw new UnexpectedJsonError('only one of data_orgsv1 and data_orgs may be given')
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
              if (members.has(name))
                throw new UnexpectedJsonError(`${written} is given twice, also in snake_case`)
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
      if (!(cause instanceof UnexpectedJsonError)) throw cause
      throw new UnexpectedJsonError(`${member} is a text that is not a document: ${cause.message}`, { cause })
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

/** Returns the name in camel case, such as `dataOrgsv1S3` for `data_orgsv1_s3`. */
const camelName = (name: string): string =>
  name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
