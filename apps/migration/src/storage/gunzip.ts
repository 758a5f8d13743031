import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** Documents shrink to a tenth or a fiftieth; a higher ratio is a decompression bomb. */
const MOST_RATIO = 200
/** Small documents may shrink by any factor. */
const RATIO_COUNTS_FROM_BYTES = 16_777_216

interface GunzipOptions {
  readonly limitBytes: number
  /** The errors for a broken limit, and for gzip that does not decode. */
  readonly tooLarge: (rule: string) => Error
  readonly damaged: () => Error
}

/** Decompresses what begins as gzip does (RFC 1952 section 2.3.1) and passes on anything else, within the limits. */
export async function* gunzip(
  stored: AsyncIterable<Buffer>,
  { limitBytes, tooLarge, damaged }: GunzipOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const counted = { in: 0, out: 0 }
  const source = stored[Symbol.asyncIterator]()
  const start = await readStart(source)
  const rest = Readable.from(countingFrom(start, source, counted), { objectMode: false })
  const isGzip = start[0] === 0x1f && start[1] === 0x8b
  // The failure of the source or the decoder reaches the loop below through the stream that it reads.
  const decoded = isGzip ? pipeline(rest, createGunzip({ chunkSize: 65_536 }), () => undefined) : rest
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

/** Two bytes at least, unless there are no more. */
async function readStart(source: AsyncIterator<Buffer>): Promise<Buffer> {
  let start = Buffer.alloc(0)
  while (start.length < 2) {
    const { done, value } = await source.next()
    if (done) break
    start = Buffer.concat([start, value])
  }
  return start
}

async function* countingFrom(start: Buffer, source: AsyncIterator<Buffer>, counted: { in: number }) {
  for (let chunk = start; ; ) {
    counted.in += chunk.length
    if (chunk.length > 0) yield chunk
    const { done, value } = await source.next()
    if (done) return
    chunk = value
  }
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^Z_/.test(String(error.code))
}
