import { DocumentError } from './document-error.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const ESCAPES: Readonly<Record<number, number>> = {
  34: 0x22,
  92: 0x5c,
  47: 0x2f,
  98: 0x08,
  102: 0x0c,
  110: 0x0a,
  114: 0x0d,
  116: 0x09,
}
/** `\uXXXX` may be half of a pair: two of them are one character. */
const LONGEST_ESCAPE = 12

/** Unescapes the inside of one JSON string that arrives in chunks, as UTF-8. */
export class StringPieces {
  #pending = ''

  /** Hands the unescaped bytes on; answers where the string ends in the chunk (behind its quote) if it does. */
  read(chunk: Buffer, from: number, write: (piece: Buffer) => void): number | undefined {
    let at = from
    while (at < chunk.length) {
      if (this.#pending !== '') {
        at = this.#escape(chunk, at, write)
        continue
      }
      let end = at
      while (end < chunk.length && chunk[end] !== QUOTE && chunk[end] !== BACKSLASH) end += 1
      if (end > at) write(chunk.subarray(at, end))
      if (chunk[end] === QUOTE) return end + 1
      if (end < chunk.length) this.#pending = '\\'
      at = end + 1
    }
    return undefined
  }

  /** Takes one byte of an escape sequence, and hands it on when it is whole. */
  #escape(chunk: Buffer, at: number, write: (piece: Buffer) => void): number {
    const byte = chunk[at] as number
    const pending = this.#pending + String.fromCharCode(byte)
    if (pending.length === 2 && byte !== 0x75) {
      const meant = ESCAPES[byte]
      if (meant === undefined) throw malformed()
      this.#pending = ''
      write(Buffer.of(meant))
      return at + 1
    }
    this.#pending = pending
    if (pending.length < 6) return at + 1
    const high = codeUnit(pending, 2)
    if (high < 0xd800 || high > 0xdbff) return this.#finish(high, write, at)
    if (pending.length < LONGEST_ESCAPE) return at + 1
    const low = pending.slice(6, 8) === '\\u' ? codeUnit(pending, 8) : 0
    if (low < 0xdc00 || low > 0xdfff) throw malformed()
    return this.#finish(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00), write, at)
  }

  #finish(codePoint: number, write: (piece: Buffer) => void, at: number): number {
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) throw malformed()
    this.#pending = ''
    write(Buffer.from(String.fromCodePoint(codePoint)))
    return at + 1
  }
}

function codeUnit(text: string, from: number): number {
  const digits = text.slice(from, from + 4)
  if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw malformed()
  return Number.parseInt(digits, 16)
}

function malformed(): DocumentError {
  return new DocumentError('a string holds an escape sequence that JSON does not have')
}
