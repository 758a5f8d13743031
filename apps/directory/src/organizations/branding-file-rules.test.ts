import { fontSample, JPEG_SAMPLE, pngChunk, pngClaiming, pngSample } from '@signet/testing/branding-samples'
import { describe, expect, it } from 'vitest'
import { checkBrandingFile, FONT_LIMIT_BYTES, IMAGE_LIMIT_BYTES } from './branding-file-rules.ts'

/** Two pixels, as Chromium wrote them. */
const WEBP_SAMPLE = Buffer.from(
  'UklGRioAAABXRUJQVlA4IB4AAAAwAQCdASoCAAEAB0CWJaAAA3AA/uUJH/XrS3NuIAA=',
  'base64',
)

const HTML = Buffer.from('<!doctype html><script>alert(1)</script>')
const joined = (...parts: readonly Buffer[]) => Buffer.concat(parts)
const PNG = pngSample()
const FONT = fontSample()

/** A copy with other bytes at an offset. */
function patched(file: Buffer, at: number, ...bytes: readonly number[]): Buffer {
  const copy = Buffer.from(file)
  copy.set(bytes, at)
  return copy
}

/** A valid PNG image with an ancillary chunk of a size. */
function pngOfSize(bytes: number): Buffer {
  const end = pngChunk('IEND', Buffer.alloc(0))
  const body = PNG.subarray(0, -end.length)
  const padding = pngChunk('spAm', Buffer.alloc(bytes - body.length - end.length - 12))
  return joined(body, padding, end)
}

describe('a logo or an icon', () => {
  it.each([
    ['image/png', PNG],
    ['image/png', pngSample({ width: 2048, height: 1 })],
    ['image/png', pngOfSize(IMAGE_LIMIT_BYTES)],
    ['image/jpeg', JPEG_SAMPLE],
    ['image/webp', WEBP_SAMPLE],
    ['image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ])('is accepted as %s by its content', (mediaType, content) => {
    for (const kind of ['logo', 'logo-dark', 'icon', 'icon-dark'] as const) {
      expect(checkBrandingFile(kind, content)).toEqual({ mediaType })
    }
  })

  const WHOLE_PNG = 'must be a whole PNG image with nothing after its end'
  const WHOLE_JPEG = 'must be a whole JPEG image with nothing after its end'
  const WHOLE_WEBP = 'must be a whole WebP image with nothing after its end'
  const NO_IMAGE = 'must be a PNG, JPEG, WebP or SVG image'
  const TOO_LARGE = /^must be at most 2048 pixels wide and high; this image has /
  it.each([
    ['no bytes', Buffer.alloc(0), 'must not be empty'],
    ['HTML', HTML, NO_IMAGE],
    ['a GIF image', Buffer.from('GIF89a\x01\x00\x01\x00\x00\x00\x00;', 'latin1'), NO_IMAGE],
    ['a BMP image', Buffer.from('BM\x1a\x00\x00\x00', 'latin1'), NO_IMAGE],
    ['a font', FONT, NO_IMAGE],
    ['a PNG signature alone', PNG.subarray(0, 8), WHOLE_PNG],
    ['a PNG signature before HTML', joined(PNG.subarray(0, 8), HTML), WHOLE_PNG],
    ['a PNG image before HTML', joined(PNG, HTML), WHOLE_PNG],
    ['a PNG image before HTML and another end', joined(PNG, HTML, PNG.subarray(-12)), WHOLE_PNG],
    ['half a PNG image', PNG.subarray(0, PNG.length / 2), WHOLE_PNG],
    ['a PNG image without width', pngClaiming(0, 5), WHOLE_PNG],
    ['a PNG chunk of 4 GiB', patched(PNG, 33, 255, 255, 255, 255), WHOLE_PNG],
    ['a PNG image of 2049 pixels', pngClaiming(2049, 1), TOO_LARGE],
    ['a PNG image of 4,294,967,295 pixels', pngClaiming(1, 0xff_ff_ff_ff), TOO_LARGE],
    ['a JPEG image before HTML', joined(JPEG_SAMPLE, HTML), WHOLE_JPEG],
    ['a JPEG start before HTML', joined(JPEG_SAMPLE.subarray(0, 4), HTML), WHOLE_JPEG],
    ['a JPEG start alone', JPEG_SAMPLE.subarray(0, 3), WHOLE_JPEG],
    ['a WebP image before HTML', joined(WEBP_SAMPLE, HTML), WHOLE_WEBP],
    ['half a WebP image', WEBP_SAMPLE.subarray(0, 20), WHOLE_WEBP],
    ['a WebP header alone', WEBP_SAMPLE.subarray(0, 12), WHOLE_WEBP],
    ['a sound in RIFF', Buffer.from('RIFF\x04\x00\x00\x00WAVE', 'latin1'), NO_IMAGE],
    ['an image of 256 KiB and a byte', pngOfSize(IMAGE_LIMIT_BYTES + 1), /^must be at most 262144 bytes; /],
  ])('is refused with the rule: %s', (_what, content, rule) => {
    expect(checkBrandingFile('logo', content)).toEqual({
      rule: rule instanceof RegExp ? expect.stringMatching(rule) : rule,
    })
  })
})

describe('a font', () => {
  it('is accepted as WOFF2', () => {
    expect(checkBrandingFile('font', FONT)).toEqual({ mediaType: 'font/woff2' })
  })

  const WHOLE = 'must be a whole WOFF2 font with nothing after its end'
  const OUTLINES = 'must be a WOFF2 font with TrueType or OpenType outlines, and no collection'
  it.each([
    ['no bytes', Buffer.alloc(0), 'must not be empty'],
    ['an image', PNG, 'must be a WOFF2 font'],
    ['WOFF 1', patched(FONT, 3, 0x46), 'must be a WOFF2 font'],
    ['TrueType', Buffer.from('00010000000a0080', 'hex'), 'must be a WOFF2 font'],
    ['a signature alone', FONT.subarray(0, 4), 'must be a whole WOFF2 font'],
    ['a header alone', FONT.subarray(0, 48), 'must be a whole WOFF2 font'],
    ['a font before HTML', joined(FONT, HTML), WHOLE],
    ['half a font', FONT.subarray(0, FONT.length / 2), WHOLE],
    ['a font without tables', patched(FONT, 12, 0, 0), WHOLE],
    ['a reserved field that is set', patched(FONT, 14, 0, 1), WHOLE],
    ['more compressed bytes than the file has', patched(FONT, 20, 0, 1, 0, 0), WHOLE],
    ['a collection', patched(FONT, 4, 0x74, 0x74, 0x63, 0x66), OUTLINES],
    ['HTML after the signature', joined(FONT.subarray(0, 4), HTML, HTML), OUTLINES],
    [
      '4 GiB unpacked',
      patched(FONT, 16, 255, 255, 255, 255),
      /^must declare at most 8388608 bytes unpacked; /,
    ],
    ['512 KiB and a byte', Buffer.alloc(FONT_LIMIT_BYTES + 1), /^must be at most 524288 bytes; /],
  ])('is refused with the rule: %s', (_what, content, rule) => {
    expect(checkBrandingFile('font', content)).toEqual({
      rule: rule instanceof RegExp ? expect.stringMatching(rule) : rule,
    })
  })
})
