import { open, rename, rm } from 'node:fs/promises'
import { decompress } from '@signet/file-formats/archive/compression'
import { readMeta, type SignedMeta } from '@signet/file-formats/archive/manifest'
import { opened, readIdentities, SealedArchiveError } from '@signet/file-formats/archive/sealing'
import { SectionReader, type Sections } from '@signet/file-formats/archive/section-reader'
import { AGE_START, bytesFrom, readStart } from '@signet/file-formats/archive/stream-start'
import { parseJson } from '@signet/file-formats/json-stream/json-scanner'
import { UnexpectedJsonError } from '@signet/file-formats/json-stream/json-values'
import { type CommandContext, createReadFailure, textOf } from '../context.ts'
import { CommandError, UsageError } from '../exit-codes.ts'

/** A file that cannot become a document: damaged, cut off, or sealed for others. */
class UnreadableArchive extends CommandError {
  constructor(message: string) {
    super('refused', message)
  }
}

interface ArchivePlace {
  /** `-` is standard input. */
  readonly file: string
  /** A file of age identities, needed for a sealed archive. It is never sent. */
  readonly identity: string | undefined
}

const MOST_BYTES = 64 * 1024 ** 3

/**
 * Yields the document of a file. Opens and decompresses the file while it is read, so it may be larger than memory. Throws
 * UsageError when a file cannot be read or an identity is missing, and UnreadableArchive at the first damaged byte.
 */
export async function* documentIn(
  { file, identity }: ArchivePlace,
  { standardInput }: Pick<CommandContext, 'standardInput'>,
): AsyncGenerator<Buffer, void, undefined> {
  const identities = identity === undefined ? undefined : await identitiesIn(identity, { standardInput })
  const stored =
    file === '-'
      ? standardInput()
      : (await open(file).catch(createReadFailure(file))).createReadStream({ highWaterMark: 1_048_576 })
  const source = stored[Symbol.asyncIterator]()
  const start = await readStart(source, AGE_START.length)
  const isSealed = start.subarray(0, AGE_START.length).equals(AGE_START)
  if (isSealed && identities === undefined) {
    await source.return?.(undefined)
    throw new UsageError(`${file} is sealed: name the file of an age identity with --identity`)
  }
  const bytes = bytesFrom(start, source)
  try {
    yield* decompress(isSealed ? opened(bytes, identities ?? []) : bytes, {
      limitBytes: MOST_BYTES,
      tooLarge: (rule) => new UnreadableArchive(`${file} ${rule}`),
      damaged: () => new UnreadableArchive(`${file}: the compressed data are damaged or cut off`),
      sealed: () => new UnreadableArchive(`${file} is sealed twice; open it with signet archive open first`),
    })
  } catch (error) {
    throw error instanceof SealedArchiveError ? new UnreadableArchive(`${file}: ${error.message}`) : error
  } finally {
    await source.return?.(undefined)
  }
}

async function identitiesIn(
  file: string,
  context: Pick<CommandContext, 'standardInput'>,
): Promise<readonly string[]> {
  const text = await textOf(file, context).catch(createReadFailure(file, '--identity: '))
  return await readIdentities(text).catch((error: Error) => {
    throw new UsageError(`--identity: ${error.message}`, { cause: error })
  })
}

/** Writes a file that only the user can read. It appears when it is complete; a failure of `pieces` leaves no file. */
export async function saveWhole(file: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const draft = `${file}.part`
  await rm(draft, { force: true })
  const target = await open(draft, 'wx', 0o600)
  try {
    for await (const piece of pieces) await target.write(piece)
    await target.close()
    await rename(draft, file)
  } catch (error) {
    await target.close()
    await rm(draft, { force: true })
    throw error
  }
}

/** An archive that was read to its end. */
interface ReadArchive {
  readonly sections: Sections
  /** Hash of the document up to the end of `orgs`. */
  readonly sha256: string
  readonly meta: SignedMeta
}

interface ArchiveVisitor {
  organization?(members: Readonly<Record<string, unknown>>): void
  record?(list: string, record: unknown): void
}

/**
 * Reads an archive in constant memory. Throws UnreadableArchive, which names the section, for a damaged archive, and
 * CommandError for a document without `meta`.
 */
export async function readArchive(
  place: { readonly file: string; readonly identity: string | undefined },
  visitor: ArchiveVisitor,
  context: Pick<CommandContext, 'standardInput'>,
): Promise<ReadArchive> {
  const { file } = place
  const reader = new SectionReader({
    organization(members) {
      const entries = [...members].map(([name, bytes]) => [name, parseJson(bytes, `orgs: ${name}`)])
      visitor.organization?.(Object.fromEntries(entries))
    },
    record: (list, bytes, name) => visitor.record?.(list, parseJson(bytes, name)),
  })
  let meta: Buffer | undefined
  try {
    for await (const chunk of documentIn(place, context)) reader.write(chunk)
    meta = reader.end()
  } catch (error) {
    if (error instanceof UnexpectedJsonError) {
      throw new UnreadableArchive(`${file} is damaged in ${reader.place}: ${error.message}`)
    }
    throw error instanceof UnreadableArchive
      ? new UnreadableArchive(`${error.message}, in or before ${reader.place}`)
      : error
  }
  const read = meta && readMeta(meta)
  if (read === undefined) {
    const reason =
      meta === undefined ? 'has no meta: Signet did not write it, or it was cut off' : 'is damaged in meta'
    throw new CommandError('refused', `${file} ${reason}`)
  }
  return { sections: reader.sections(), sha256: reader.sha256(), meta: read }
}
