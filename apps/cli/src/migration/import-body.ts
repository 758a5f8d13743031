import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { CommandContext } from '../command.ts'
import { UsageError } from '../usage-error.ts'

/**
 * The body of an import call around a document in a file (`-` is standard input), sent as it is read: it may be larger
 * than memory. Throws UsageError when the file cannot be read.
 */
export async function importBody(
  file: string,
  members: object,
  context: Pick<CommandContext, 'standardInput'>,
): Promise<ReadableStream> {
  const document = await openDocument(file, context)
  async function* body() {
    yield Buffer.from(`${JSON.stringify(members).slice(0, -1)},"data_orgs":`)
    yield* document
    yield Buffer.from('}')
  }
  return Readable.toWeb(Readable.from(body())) as ReadableStream
}

async function openDocument(
  file: string,
  { standardInput }: Pick<CommandContext, 'standardInput'>,
): Promise<AsyncIterable<Uint8Array>> {
  if (file === '-') return standardInput()
  try {
    const handle = await open(file)
    return handle.createReadStream({ highWaterMark: 1_048_576 })
  } catch (cause) {
    throw new UsageError(`${file} cannot be read (${(cause as NodeJS.ErrnoException).code})`, { cause })
  }
}
