/** A text that is not JSON, or not of the expected structure. The message says where or in which member. */
export class UnexpectedJsonError extends Error {
  override readonly name = 'UnexpectedJsonError'
}

/** Deeper values are refused before they are parsed. */
const MOST_LEVELS = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Finds the end of one JSON value by its brackets and quotes, over any number of chunks, and keeps its bytes. */
export class WholeValue {
  readonly #name: string
  readonly #limitBytes: number
  readonly #isScalar: boolean
  readonly #parts: Buffer[] = []
  #bytes = 0
  #depth = 0
  #inString = false
  #escaped = false

  /** `name` is used in error messages; `first` is the first byte of the value. */
  constructor(name: string, limitBytes: number, first: number) {
    this.#name = name
    this.#limitBytes = limitBytes
    this.#isScalar = first !== QUOTE && first !== 0x7b && first !== 0x5b
  }

  /** Returns the end of the value in this chunk (exclusive), or undefined when it continues. Throws UnexpectedJsonError. */
  scan(chunk: Buffer, from: number): number | undefined {
    const end = this.#isScalar ? scalarEnd(chunk, from) : this.#nestedEnd(chunk, from)
    this.#bytes += (end ?? chunk.length) - from
    if (this.#bytes > this.#limitBytes) {
      throw new UnexpectedJsonError(`${this.#name} is larger than ${this.#limitBytes} bytes`)
    }
    this.#parts.push(chunk.subarray(from, end))
    return end
  }

  /** The bytes that were read; a view into the chunk when one chunk contained the value. */
  bytes(): Buffer {
    const [only] = this.#parts
    return this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts, this.#bytes)
  }

  #nestedEnd(chunk: Buffer, from: number): number | undefined {
    let depth = this.#depth
    let inString = this.#inString
    let at = from
    if (this.#escaped) {
      this.#escaped = false
      at += 1
    }
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at] as number
      if (inString) {
        if (byte === BACKSLASH) at += 1
        else if (byte === QUOTE) {
          inString = false
          if (depth === 0) return at + 1
        }
      } else if (byte === QUOTE) inString = true
      // { and [, } and ] differ in one bit. The parser of the value refuses mismatched pairs.
      else if ((byte & 0xdf) === 0x5b) {
        depth += 1
        if (depth > MOST_LEVELS) {
          throw new UnexpectedJsonError(`${this.#name} is nested deeper than ${MOST_LEVELS} levels`)
        }
      } else if ((byte & 0xdf) === 0x5d) {
        depth -= 1
        if (depth === 0) return at + 1
      }
    }
    this.#depth = depth
    this.#inString = inString
    // The backslash was the last byte: the escaped character begins the next chunk.
    this.#escaped = at > chunk.length
    return undefined
  }
}

/** A number or a literal name ends before the next punctuation or space. */
function scalarEnd(chunk: Buffer, from: number): number | undefined {
  for (let at = from; at < chunk.length; at += 1) {
    const byte = chunk[at] as number
    if (byte === 0x2c || byte === 0x7d || byte === 0x5d || byte <= 0x20) return at
  }
  return undefined
}

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
/** `\uXXXX` may be half of a surrogate pair, which is one character. */
const LONGEST_ESCAPE = 12

/** Unescapes the inside of one JSON string that arrives in chunks, as UTF-8. */
export class StringPieces {
  #pending = ''

  /** Passes the unescaped bytes to `write`. Returns the position after the closing quote if it is in the chunk. */
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

  /** Reads one byte of an escape sequence, and passes the character to `write` after the last byte. */
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

function malformed(): UnexpectedJsonError {
  return new UnexpectedJsonError('a string holds an escape sequence that JSON does not have')
}
