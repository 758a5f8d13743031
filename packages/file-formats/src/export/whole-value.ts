import { DocumentError } from './document-error.ts'

/** Nothing in the format is nested deeper than 8 levels; uninterpreted members may be a little deeper. */
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

  /** `name` is for refusals; `first` the value's first byte. */
  constructor(name: string, limitBytes: number, first: number) {
    this.#name = name
    this.#limitBytes = limitBytes
    this.#isScalar = first !== QUOTE && first !== 0x7b && first !== 0x5b
  }

  /** Where the value ends in this chunk (exclusive), or undefined when it goes on. Throws DocumentError. */
  scan(chunk: Buffer, from: number): number | undefined {
    const end = this.#isScalar ? scalarEnd(chunk, from) : this.#nestedEnd(chunk, from)
    this.#bytes += (end ?? chunk.length) - from
    if (this.#bytes > this.#limitBytes) {
      throw new DocumentError(`${this.#name} is larger than ${this.#limitBytes} bytes`)
    }
    this.#parts.push(chunk.subarray(from, end))
    return end
  }

  /** The bytes so far; a view into the chunk when the value lay in one. */
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
      // { and [, } and ] differ in one bit; the parser of the value finds a pair that does not fit.
      else if ((byte & 0xdf) === 0x5b) {
        depth += 1
        if (depth > MOST_LEVELS) {
          throw new DocumentError(`${this.#name} is nested deeper than ${MOST_LEVELS} levels`)
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

/** A number or a word ends before the next punctuation or space. */
function scalarEnd(chunk: Buffer, from: number): number | undefined {
  for (let at = from; at < chunk.length; at += 1) {
    const byte = chunk[at] as number
    if (byte === 0x2c || byte === 0x7d || byte === 0x5d || byte <= 0x20) return at
  }
  return undefined
}
