import { describe, expect, it } from 'vitest'
import { firstLines, isOneObject } from './streams.ts'

/** The text in pieces of so many bytes, and how many of them were read when the stream was cancelled. */
function streamOf(text: string, pieceBytes: number) {
  const bytes = new TextEncoder().encode(text)
  const read = { pieces: 0, isCancelled: false }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const start = read.pieces * pieceBytes
        if (start >= bytes.length) return controller.close()
        read.pieces += 1
        controller.enqueue(bytes.slice(start, start + pieceBytes))
      },
      cancel() {
        read.isCancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, read }
}

const PIECES = [1, 2, 3, 7, 1000]

describe('firstLines', () => {
  it('returns the lines of a short document, however it is cut', async () => {
    for (const pieceBytes of PIECES) {
      const { stream, read } = streamOf('{"id":"ä"}\n\n{"id":"€"}\nlast', pieceBytes)
      expect(await firstLines(stream, 10)).toEqual(['{"id":"ä"}', '{"id":"€"}', 'last'])
      expect(read.isCancelled).toBe(false)
    }
  })

  it('cancels a long document after the lines that it returns', async () => {
    for (const pieceBytes of PIECES) {
      const { stream, read } = streamOf('line\n'.repeat(10_000), pieceBytes)
      expect(await firstLines(stream, 3)).toEqual(['line', 'line', 'line'])
      expect(read).toEqual({ pieces: Math.ceil(15 / pieceBytes), isCancelled: true })
    }
  })
})

describe('isOneObject', () => {
  const isOne = (text: string) =>
    Promise.all(PIECES.map((pieceBytes) => isOneObject(streamOf(text, pieceBytes).stream)))

  it.each([
    '{}',
    ' \n{"orgs":[{"name":"a"}]}\r\n\t',
    String.raw`{"orgs":[],"text":"}, \"ignoreChecksum\": true, {\\"}`,
    '{"text":"ä€😀]}"}',
  ])('takes %s', async (text) => {
    expect(await isOne(text)).toEqual(PIECES.map(() => true))
  })

  it.each([
    '{"orgs":[]},"ignoreChecksum":true,"source":{}',
    '{"orgs":[]},"dryRun":false',
    '{} {}',
    '{}}',
    '{"orgs":[]',
    '{"text":"}',
    String.raw`{"text":"\"}`,
    '[{}]',
    '"text","dryRun":false',
    '1',
    ' ',
    '',
  ])('refuses %s', async (text) => {
    expect(await isOne(text)).toEqual(PIECES.map(() => false))
  })
})
