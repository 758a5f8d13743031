import { open, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { SuiteUnreachable } from '../api/errors.ts'
import type { Suite } from '../api/suite.ts'
import { type CommandContext, unreadable } from '../context.ts'
import { piecesOf } from './job.ts'

interface SavedDocument {
  readonly jobId: string
  readonly file: string
  readonly part?: 'document' | 'rejects'
}

const PAUSES_MS = [1_000, 5_000, 15_000]

/**
 * The body of an import call around a document in a file (`-` is standard input), sent as it is read: it may be larger
 * than memory. Throws UsageError when the file cannot be read.
 */
export async function importBody(
  file: string,
  members: object,
  { standardInput }: Pick<CommandContext, 'standardInput'>,
): Promise<ReadableStream> {
  const document =
    file === '-'
      ? standardInput()
      : (await open(file).catch(unreadable(file))).createReadStream({ highWaterMark: 1_048_576 })
  async function* body() {
    yield Buffer.from(`${JSON.stringify(members).slice(0, -1)},"data_orgs":`)
    yield* document
    yield Buffer.from('}')
  }
  return Readable.toWeb(Readable.from(body())) as ReadableStream
}

/**
 * Writes the document of a finished export, or the rejects of an import, to a file that only the user can read: it holds
 * password hashes. Begins again when the connection is lost; the file appears when it is whole.
 */
export async function saveDocument(
  { call }: Suite,
  { jobId, file, part = 'document' }: SavedDocument,
  { note, pause }: Pick<CommandContext, 'note' | 'pause'>,
): Promise<void> {
  const draft = `${file}.part`
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
    await rm(draft, { force: true })
    const target = await open(draft, 'wx', 0o600)
    try {
      for await (const chunk of piecesOf(response)) await target.write(chunk)
    } finally {
      await target.close()
    }
    await rename(draft, file)
  }
}
