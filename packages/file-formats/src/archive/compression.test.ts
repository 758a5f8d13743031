import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COMPRESSIONS, compressed, decompress } from './compression.ts'

const limits = {
  limitBytes: 1_000_000_000,
  tooLarge: (rule: string) => new Error(rule),
  damaged: () => new Error('damaged'),
  sealed: () => new Error('sealed'),
}

async function* pieces(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

async function decoded(bytes: AsyncIterable<Buffer>, options = limits): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of decompress(bytes, options)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const COMPRESSORS = {
  gzip: gzipSync,
  zstd: (bytes: Uint8Array) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
} as const

describe.each(COMPRESSIONS)('%s', (kind) => {
  const compress = COMPRESSORS[kind]

  it('decodes compressed and plain bytes in chunks of any size', async () => {
    const buffers = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
    await fc.assert(
      fc.asyncProperty(buffers, fc.integer({ min: 1, max: 50 }), async (bytes, length) => {
        expect(await decoded(pieces(compress(bytes), length))).toEqual(bytes)
        if (bytes[0] !== 0x1f && bytes[0] !== 0x28)
          expect(await decoded(pieces(bytes, length))).toEqual(bytes)
      }),
    )
  })

  it('more than the limit is refused, compressed or not [F-42]', async () => {
    const bytes = Buffer.from('x'.repeat(1001))
    for (const stored of [bytes, compress(bytes)]) {
      await expect(decoded(pieces(stored, 100), { ...limits, limitBytes: 1000 })).rejects.toThrow(
        'at most 1000 bytes',
      )
      expect(await decoded(pieces(stored, 100), { ...limits, limitBytes: 1001 })).toHaveLength(1001)
    }
  })

  it('rejects damaged and truncated data', async () => {
    const stored = compress(Buffer.from('{"orgs":[]}'.repeat(100)))
    await expect(decoded(pieces(stored.subarray(0, -5), 10))).rejects.toThrow('damaged')
    stored[20] = (stored[20] ?? 0) ^ 0xff
    await expect(decoded(pieces(stored, 10))).rejects.toThrow('damaged')
  })

  it('the failure of the source is handed on as it is, and the source is closed when the reader stops', async () => {
    const failure = new Error('cut')
    async function* failing(): AsyncGenerator<Buffer> {
      yield compress(Buffer.from('abc')).subarray(0, 8)
      throw failure
    }
    await expect(decoded(failing())).rejects.toBe(failure)
    let closed = false
    async function* endless(): AsyncGenerator<Buffer> {
      try {
        for (;;) yield Buffer.from('x')
      } finally {
        closed = true
      }
    }
    for await (const _ of decompress(endless(), limits)) break
    expect(closed).toBe(true)
  })

  it('decompresses what it compressed, and closes the source when the reader stops', async () => {
    const bytes = Buffer.from('{"orgs":[]}'.repeat(10_000))
    const packed: Buffer[] = []
    for await (const chunk of compressed(pieces(bytes, 1_000), kind)) packed.push(chunk)
    expect(Buffer.concat(packed).length).toBeLessThan(bytes.length / 10)
    expect(await decoded(pieces(Buffer.concat(packed), 100))).toEqual(bytes)
    // Bytes that do not shrink are stored as they are: only a checksum finds a change.
    const noise = pieces(Buffer.from(crypto.getRandomValues(new Uint8Array(1_000))), 100)
    const stored: Buffer[] = []
    for await (const chunk of compressed(noise, kind)) stored.push(chunk)
    const changed = Buffer.concat(stored)
    changed[500] = (changed[500] ?? 0) ^ 1
    await expect(decoded(pieces(changed, 100))).rejects.toThrow('damaged')
    let closed = false
    async function* endless(): AsyncGenerator<Buffer> {
      try {
        for (;;) yield Buffer.from(crypto.getRandomValues(new Uint8Array(10_000)))
      } finally {
        closed = true
      }
    }
    for await (const _ of compressed(endless(), kind)) break
    await expect.poll(() => closed).toBe(true)
  })
})

describe('decompress', () => {
  it('a zip bomb is refused long before it is out, in little memory [F-42]', async () => {
    // A gigabyte of zeros: 64 members of 16 MiB.
    const member = gzipSync(Buffer.alloc(16_777_216))
    let read = 0
    async function* bomb(): AsyncGenerator<Buffer> {
      for (let at = 0; at < 64; at += 1) {
        read += 1
        yield member
      }
    }
    const before = process.memoryUsage().rss
    await expect(decoded(bomb())).rejects.toThrow('must not be compressed to less than 1/200')
    expect(read).toBeLessThan(10)
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
  })

  it('a zstd bomb is refused in little memory [F-42]', async () => {
    const zeros = Buffer.alloc(16_777_216)
    async function* gigabyte(): AsyncGenerator<Buffer> {
      for (let count = 0; count < 64; count += 1) yield zeros
    }
    const bomb: Buffer[] = []
    for await (const chunk of compressed(gigabyte(), 'zstd')) bomb.push(chunk)
    const before = process.memoryUsage().rss
    await expect(decoded(pieces(Buffer.concat(bomb), 100))).rejects.toThrow(
      'must not be compressed to less than 1/200',
    )
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
  })

  it('refuses a sealed archive', async () => {
    await expect(decoded(pieces(Buffer.from('age-encryption.org/v1\n-> X25519 '), 7))).rejects.toThrow(
      'sealed',
    )
  })

  it('refuses a zstd window above 8 MiB', async () => {
    const params = { [constants.ZSTD_c_windowLog]: 25, [constants.ZSTD_c_contentSizeFlag]: 0 }
    const bytes = Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)))
    const stream = zstdCompressSync(Buffer.concat(Array.from({ length: 600 }, () => bytes)), { params })
    await expect(decoded(pieces(stream, 1_000_000))).rejects.toThrow('damaged')
  })
})
