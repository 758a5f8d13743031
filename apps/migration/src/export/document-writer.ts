import { SectionReader } from '@signet/file-formats/archive/section-reader'
import type { ArchiveDescription } from '@signet/tokens/archive-manifest'
import type { DocumentTarget } from '../storage/stored-object.ts'

const UNSIGNED = 'the document is not signed: the keys service is of an earlier version'

const CHUNK_BYTES = 1_048_576

/** The signed manifest of a document; undefined while `keys` is of a version that signs none. */
export type SignManifest = (archive: ArchiveDescription) => Promise<string | undefined>

interface DocumentWriterOptions {
  readonly issuer: string
  readonly createdAt: Date
  readonly sign: SignManifest
}

/**
 * Writes the parts of an export as one document, with its counts, checksum and signed manifest at the end. Holds about a
 * mebibyte.
 */
export function createDocumentWriter(
  target: DocumentTarget,
  { issuer, createdAt, sign }: DocumentWriterOptions,
) {
  // The reader of `signet archive verify`, so that both hash the same bytes.
  const read = new SectionReader()
  const counts: Record<string, number> = { orgs: 0 }
  const waiting: Buffer[] = []
  let waitingBytes = 0
  let bytes = 0
  let list: string | undefined
  let isOpen = false

  async function put(piece: Buffer | string, signed = true): Promise<void> {
    const data = typeof piece === 'string' ? Buffer.from(piece) : piece
    if (signed) read.write(data)
    waiting.push(data)
    waitingBytes += data.length
    bytes += data.length
    if (waitingBytes >= CHUNK_BYTES) await hand()
  }

  async function hand(): Promise<void> {
    const chunk = Buffer.concat(waiting.splice(0), waitingBytes)
    waitingBytes = 0
    if (chunk.length > 0) await target.write(chunk)
  }

  async function closeOrganization(): Promise<void> {
    if (list !== undefined) await put(']')
    if (isOpen) await put('}')
    list = undefined
    isOpen = false
  }

  return {
    /** How long the document is by now. */
    bytes: () => bytes,
    /** How many records each list has by now, as `meta.counts` will say. */
    counts: (): Readonly<Record<string, number>> => counts,
    begin: () => put('{"orgs":['),
    /** `header` is a JSON object with at least one member. */
    async organization(header: Uint8Array): Promise<void> {
      await closeOrganization()
      if (counts.orgs) await put(',\n')
      counts.orgs = (counts.orgs ?? 0) + 1
      // The lists follow as further members of the same object.
      await put(Buffer.from(header.subarray(0, header.length - 1)))
      isOpen = true
    },
    async records(name: string, count: number, records: Uint8Array): Promise<void> {
      if (list === name) await put(',')
      else {
        await put(`${list === undefined ? '' : ']'},${JSON.stringify(name)}:[`)
        list = name
      }
      counts[name] = (counts[name] ?? 0) + count
      await put(Buffer.from(records.buffer, records.byteOffset, records.byteLength))
    },
    /** Returns the notes of the target. */
    async end(): Promise<readonly string[]> {
      await closeOrganization()
      await put(']')
      const archive = { createdAt: createdAt.toISOString(), sha256: read.sha256(), sections: read.sections() }
      const manifest = await sign(archive)
      await put(`,"meta":${JSON.stringify(metaOf(archive, { issuer, counts, manifest }))}}`, false)
      await hand()
      const notes = await target.commit()
      return manifest === undefined ? [...notes, UNSIGNED] : notes
    },
  }
}

function metaOf(
  { createdAt, sha256 }: ArchiveDescription,
  {
    issuer,
    counts,
    manifest,
  }: {
    readonly issuer: string
    readonly counts: Readonly<Record<string, number>>
    readonly manifest: string | undefined
  },
) {
  return {
    format: 'signet-export',
    version: 1,
    createdAt,
    issuer,
    counts,
    sha256,
    ...(manifest !== undefined && { manifest }),
  }
}
