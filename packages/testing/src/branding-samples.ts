import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { crc32, deflateSync } from 'node:zlib'

interface PngOptions {
  readonly width?: number
  readonly height?: number
  /** Red, green and blue. */
  readonly colour?: readonly [number, number, number]
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

/** A PNG image of one colour. */
export function pngSample({ width = 160, height = 64, colour = [11, 110, 79] }: PngOptions = {}): Buffer {
  return pngFile(width, height, deflateSync(pixels(width, height, colour)))
}

/** A PNG image whose header states a size, and that has hardly any pixels. */
export function pngClaiming(width: number, height: number): Buffer {
  return pngFile(width, height, deflateSync(Buffer.alloc(4)))
}

function pngFile(width: number, height: number, data: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits a channel, three channels, no interlacing.
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', header),
    pngChunk('IDAT', data),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

/** Each row begins with the number of its filter. */
function pixels(width: number, height: number, colour: readonly [number, number, number]): Buffer {
  const row = [0, ...Array.from({ length: width }, () => colour).flat()]
  return Buffer.concat(Array.from({ length: height }, () => Buffer.from(row)))
}

export function pngChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** Two pixels, as Chromium wrote them. */
export const JPEG_SAMPLE = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////////////////////////wAARCAABAAIDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAP/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAAAAP/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCQAm//2Q==',
  'base64',
)

/** A font of Latin letters. */
export function fontSample(): Buffer {
  const require = createRequire(import.meta.url)
  return readFileSync(require.resolve('@fontsource/silkscreen/files/silkscreen-latin-400-normal.woff2'))
}
