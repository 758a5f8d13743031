import { pipeline, Readable } from 'node:stream'
import { constants, createGunzip, createGzip, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { AGE_START, bytesFrom, readStart } from './stream-start.ts'

/** Documents shrink to a tenth or a fiftieth; a higher ratio is a decompression bomb. */
const MOST_RATIO = 200
/** Small documents may shrink by any factor. */
const RATIO_COUNTS_FROM_BYTES = 16_777_216
/** A window of 8 MiB, as zstd uses up to level 19: a frame may ask for 2 GiB of memory. */
const MOST_WINDOW_LOG = 23

const CHUNK_BYTES = 65_536

/** How an archive may be compressed. */
export const COMPRESSIONS = ['gzip', 'zstd'] as const
export type Compression = (typeof COMPRESSIONS)[number]

const COMPRESSORS = {
  gzip: () => createGzip(),
  // zstd writes a checksum only when asked; gzip always.
  zstd: () => createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
} as const

/** Compresses bytes as they come. Closes the source when the reader stops. */
export async function* compressed(
  bytes: AsyncIterable<Uint8Array>,
  compression: Compression,
): AsyncGenerator<Buffer, void, undefined> {
  // A failure of the source reaches the loop below through the stream that it reads.
  const stream = pipeline(Readable.from(bytes, { objectMode: false }), COMPRESSORS[compression](), () => {})
  try {
    yield* stream
  } finally {
    stream.destroy()
  }
}

interface DecompressOptions {
  readonly limitBytes: number
  /** The errors for a broken limit, for compressed bytes that do not decode, and for a sealed archive. */
  readonly tooLarge: (rule: string) => Error
  readonly damaged: () => Error
  readonly sealed: () => Error
}

const DECODERS = [
  // RFC 1952 section 2.3.1
  { start: Buffer.from([0x1f, 0x8b]), decoder: () => createGunzip({ chunkSize: CHUNK_BYTES }) },
  // RFC 8878 section 3.1.1
  {
    start: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
    decoder: () => {
      // The command line runs on Node.js 18, too.
      if (createZstdDecompress === undefined) {
        throw new Error('zstd needs Node.js 22.15 or later; decompress the file before')
      }
      return createZstdDecompress({
        chunkSize: CHUNK_BYTES,
        params: { [constants.ZSTD_d_windowLogMax]: MOST_WINDOW_LOG },
      })
    },
  },
] as const

/** Decompresses what begins as gzip or zstd does and passes on anything else, within the limits. */
export async function* decompress(
  stored: AsyncIterable<Uint8Array>,
  { limitBytes, tooLarge, damaged, sealed }: DecompressOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const counted = { in: 0, out: 0 }
  const source = stored[Symbol.asyncIterator]()
  const start = await readStart(source, AGE_START.length)
  if (start.subarray(0, AGE_START.length).equals(AGE_START)) {
    await source.return?.(undefined)
    throw sealed()
  }
  const rest = Readable.from(counting(bytesFrom(start, source), counted), { objectMode: false })
  const known = DECODERS.find((candidate) =>
    start.subarray(0, candidate.start.length).equals(candidate.start),
  )
  // The failure of the source or the decoder reaches the loop below through the stream that it reads.
  const decoded = known === undefined ? rest : pipeline(rest, known.decoder(), () => undefined)
  try {
    for await (const chunk of decoded) {
      counted.out += chunk.length
      if (counted.out > limitBytes)
        throw tooLarge(`must have at most ${limitBytes} bytes after decompression`)
      if (counted.out > RATIO_COUNTS_FROM_BYTES && counted.out > MOST_RATIO * counted.in) {
        throw tooLarge(`must not be compressed to less than 1/${MOST_RATIO} of its size`)
      }
      yield chunk
    }
  } catch (error) {
    throw isZlibError(error) ? damaged() : error
  } finally {
    decoded.destroy()
    rest.destroy()
    await source.return?.(undefined)
  }
}

async function* counting(bytes: AsyncIterable<Buffer>, counted: { in: number }) {
  for await (const chunk of bytes) {
    counted.in += chunk.length
    yield chunk
  }
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(Z|ZSTD)_/.test(String(error.code))
}
