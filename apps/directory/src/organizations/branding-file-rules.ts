// Which files an organization may show on its pages (docs/guides/branding.md). The content decides; the caller states no
// name and no media type. Files are stored as they came: a check refuses, and never rewrites.
import type { BrandingFileKind, BrandingMediaType } from '@signet/protocol/branding-files'
import { imageSize } from 'image-size'
import { brokenSvgRule, isSvg } from './svg-rules.ts'

export const IMAGE_LIMIT_BYTES = 262_144
export const FONT_LIMIT_BYTES = 524_288
/** The pages show a logo 64 pixels high; browsers need four bytes of memory a pixel. */
const MOST_PIXELS = 2048
/** Limit of the size that the header declares: a browser unpacks a font before it uses it. */
const MOST_UNPACKED_FONT_BYTES = 8_388_608

type Checked = { readonly mediaType: BrandingMediaType } | { readonly rule: string }

/** The media type of a file, or the rule of its kind that it breaks. */
export function checkBrandingFile(kind: BrandingFileKind, content: Buffer): Checked {
  const limit = kind === 'font' ? FONT_LIMIT_BYTES : IMAGE_LIMIT_BYTES
  if (content.length === 0) return { rule: 'must not be empty' }
  if (content.length > limit)
    return { rule: `must be at most ${limit} bytes; this file has ${content.length}` }
  return kind === 'font' ? checkFont(content) : checkImage(content, MOST_PIXELS)
}

/** The media type of an image within limits of its own, or the rule that it breaks. */
export function checkImageFile(
  content: Buffer,
  { bytes, pixels }: { readonly bytes: number; readonly pixels: number },
): Checked {
  if (content.length === 0) return { rule: 'must not be empty' }
  if (content.length > bytes)
    return { rule: `must be at most ${bytes} bytes; this file has ${content.length}` }
  return checkImage(content, pixels)
}

interface ImageFormat {
  readonly mediaType: BrandingMediaType
  readonly name: string
  readonly isStart: (content: Buffer) => boolean
  /** The image takes the whole file, so that nothing of another format follows it. */
  readonly isWhole: (content: Buffer) => boolean
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const JPEG_START = Buffer.from('ffd8ff', 'hex')
const JPEG_END = Buffer.from('ffd9', 'hex')

const IMAGE_FORMATS: readonly ImageFormat[] = [
  {
    mediaType: 'image/png',
    name: 'PNG',
    isStart: (content) => content.subarray(0, 8).equals(PNG_SIGNATURE),
    isWhole: endsWithLastChunk,
  },
  {
    mediaType: 'image/jpeg',
    name: 'JPEG',
    isStart: (content) => content.subarray(0, 3).equals(JPEG_START),
    isWhole: (content) => content.subarray(-2).equals(JPEG_END),
  },
  {
    mediaType: 'image/webp',
    name: 'WebP',
    isStart: (content) =>
      content.toString('latin1', 0, 4) === 'RIFF' && content.toString('latin1', 8, 12) === 'WEBP',
    isWhole: (content) => content.readUInt32LE(4) + 8 === content.length,
  },
]

function checkImage(content: Buffer, most: number): Checked {
  if (isSvg(content)) {
    const rule = brokenSvgRule(content)
    return rule === undefined ? { mediaType: 'image/svg+xml' } : { rule }
  }
  const format = IMAGE_FORMATS.find(({ isStart }) => isStart(content))
  if (format === undefined) return { rule: 'must be a PNG, JPEG, WebP or SVG image' }
  const size = sizeOf(content)
  if (size === undefined || !format.isWhole(content)) {
    return { rule: `must be a whole ${format.name} image with nothing after its end` }
  }
  const { width, height } = size
  if (width > most || height > most) {
    return {
      rule: `must be at most ${most} pixels wide and high; this image has ${width} × ${height}`,
    }
  }
  return { mediaType: format.mediaType }
}

function sizeOf(content: Buffer): { readonly width: number; readonly height: number } | undefined {
  try {
    const { width, height } = imageSize(content)
    return width > 0 && height > 0 ? { width, height } : undefined
  } catch {
    // The library throws for every header that it cannot read.
    return undefined
  }
}

/** PNG, third edition, section 5: chunks follow one another, and the last one is IEND. */
function endsWithLastChunk(content: Buffer): boolean {
  let at = PNG_SIGNATURE.length
  while (at + 12 <= content.length) {
    const type = content.toString('latin1', at + 4, at + 8)
    at += 12 + content.readUInt32BE(at)
    if (type === 'IEND') return at === content.length
  }
  return false
}

const TRUETYPE = 0x00_01_00_00
const OPENTYPE = 0x4f_54_54_4f // OTTO
const WOFF2_HEADER_BYTES = 48

/** WOFF File Format 2.0, section 4.1. Browsers check the tables of a font before they use one. */
function checkFont(content: Buffer): Checked {
  if (content.toString('latin1', 0, 4) !== 'wOF2') return { rule: 'must be a WOFF2 font' }
  if (content.length <= WOFF2_HEADER_BYTES) return { rule: 'must be a whole WOFF2 font' }
  const flavor = content.readUInt32BE(4)
  if (flavor !== TRUETYPE && flavor !== OPENTYPE) {
    return { rule: 'must be a WOFF2 font with TrueType or OpenType outlines, and no collection' }
  }
  const [length, tables, reserved] = [
    content.readUInt32BE(8),
    content.readUInt16BE(12),
    content.readUInt16BE(14),
  ]
  const [unpackedBytes, compressedBytes] = [content.readUInt32BE(16), content.readUInt32BE(20)]
  const isPlausible =
    length === content.length &&
    tables > 0 &&
    reserved === 0 &&
    compressedBytes > 0 &&
    compressedBytes <= content.length - WOFF2_HEADER_BYTES
  if (!isPlausible) return { rule: 'must be a whole WOFF2 font with nothing after its end' }
  if (unpackedBytes > MOST_UNPACKED_FONT_BYTES) {
    return { rule: `must declare at most ${MOST_UNPACKED_FONT_BYTES} bytes unpacked; use fewer characters` }
  }
  return { mediaType: 'font/woff2' }
}
