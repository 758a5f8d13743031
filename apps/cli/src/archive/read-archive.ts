import { readMeta, type SignedMeta } from '@signet/file-formats/archive/manifest'
import { SectionReader, type Sections } from '@signet/file-formats/archive/section-reader'
import { parseJson } from '@signet/file-formats/json-stream/json-scanner'
import { UnexpectedJsonError } from '@signet/file-formats/json-stream/json-values'
import type { CommandContext } from '../context.ts'
import { CommandError } from '../exit-codes.ts'
import { documentIn, UnreadableArchive } from './archive-file.ts'

/** An archive that was read to its end. */
export interface ReadArchive {
  readonly sections: Sections
  /** Of the document up to the end of `orgs`. */
  readonly sha256: string
  readonly meta: SignedMeta
}

interface ArchiveVisitor {
  organization?(members: Readonly<Record<string, unknown>>): void
  record?(list: string, record: unknown): void
}

/**
 * Reads an archive in constant memory. Throws UnreadableArchive, which names the section, for one that is damaged, and
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
    throw new CommandError(7, `${file} ${reason}`)
  }
  return { sections: reader.sections(), sha256: reader.sha256(), meta: read }
}
