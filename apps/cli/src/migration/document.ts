import { Readable } from 'node:stream'
import { SuiteUnreachable } from '../api/errors.ts'
import type { Suite } from '../api/suite.ts'
import { documentIn, saveWhole } from '../archive/archive-file.ts'
import type { CommandContext } from '../context.ts'
import { CommandError } from '../exit-codes.ts'
import { piecesOf } from './job.ts'

interface SavedDocument {
  readonly jobId: string
  readonly file: string
  readonly part?: 'document' | 'rejects'
}

/** Largest body of a request that the server accepts. */
const MOST_BODY_BYTES = 268_435_456

const PAUSES_MS = [1_000, 5_000, 15_000]

interface ImportedFile {
  /** `-` is standard input. */
  readonly file: string
  /** A file of age identities, for a sealed archive; they are not sent. */
  readonly identity: string | undefined
}

/**
 * Imports the document in a file. Opens and decompresses the file while `send` sends it, so it may be larger than memory. Throws
 * UsageError when a file cannot be read, and UnreadableArchive for a damaged file; the server then imports nothing, since the
 * body ends early. Throws CommandError when the document exceeds the limit of a request: the server would close the
 * connection, which looks like an unreachable server.
 */
export async function importFile<T>(
  place: ImportedFile,
  members: object,
  context: Pick<CommandContext, 'standardInput'>,
  send: (body: ReadableStream) => Promise<T>,
): Promise<T> {
  let failure: { readonly error: unknown } | undefined
  async function* body() {
    const begin = Buffer.from(`${JSON.stringify(members).slice(0, -1)},"data_orgs":`)
    yield begin
    let bytes = begin.length + 1
    try {
      for (let piece = first; piece !== undefined; piece = (await rest.next()).value ?? undefined) {
        bytes += piece.length
        if (bytes > MOST_BODY_BYTES) throw tooLarge()
        yield piece
      }
    } catch (error) {
      failure = { error }
      throw error
    }
    yield Buffer.from('}')
  }
  const rest = documentIn(place, context)
  // Read before the request, so that an unreadable file is not reported as a failure of the server.
  const { value: first } = await rest.next()
  try {
    return await send(Readable.toWeb(Readable.from(body())) as ReadableStream)
  } catch (error) {
    throw failure?.error ?? error
  } finally {
    await rest.return()
  }
}

const tooLarge = () =>
  new CommandError(
    'refused',
    'a document of more than 256 MiB cannot be sent; copy it to a storage, then signet import s3://…, gs://… or storage:PATH',
  )

/**
 * Writes the document of a finished export, or the rejects of an import, to a file that only the user can read, since it holds
 * password hashes. Starts again after a lost connection; the file appears when it is complete.
 */
export async function saveDocument(
  { call }: Suite,
  { jobId, file, part = 'document' }: SavedDocument,
  { note, pause }: Pick<CommandContext, 'note' | 'pause'>,
): Promise<void> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await download()
    } catch (error) {
      if (!(error instanceof SuiteUnreachable)) throw error
      note('the connection was lost; fetching the document again')
      await pause(pauseMs)
    }
  }
  await download()

  async function download(): Promise<void> {
    const path = `/admin/v1/jobs/${encodeURIComponent(jobId)}/${part}`
    const response = await call({ method: 'GET', path, repeatable: true })
    await saveWhole(file, piecesOf(response))
  }
}
