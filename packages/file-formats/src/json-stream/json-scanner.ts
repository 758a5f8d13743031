import { isUtf8 } from 'node:buffer'
import { StringPieces, UnexpectedJsonError, WholeValue } from './json-values.ts'

/** How a value that is about to begin is read; a kind that is absent is refused. */
export interface Reading {
  /** The name of the value in error messages, such as `items[0].name`. */
  readonly name: string
  /** Enters an object: says how each member is read, by its name as written. */
  readonly object?: { member(name: string): Reading; end?(): void }
  /** Enters an array: says how each element is read. */
  readonly array?: { element(index: number): Reading; end?(): void }
  /** Hands over a string of any length in pieces, unescaped, as UTF-8. */
  readonly text?: { write(piece: Buffer): void; end(): void }
  /** Hands over the bytes of a value; they are valid during the call only, and not parsed yet. */
  readonly whole?: { readonly limitBytes: number; value(bytes: Buffer): void }
}

const MOST_NAME_BYTES = 1_000

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BRACKETS = { object: [0x7b, 0x7d], array: [0x5b, 0x5d] } as const

type Expected = 'value' | 'first' | 'name' | 'colon' | 'separator' | 'nothing'

interface Level {
  readonly reading: Reading
  readonly kind: 'object' | 'array'
  readonly names: Set<string>
  next: number
}

interface TakenWhole {
  readonly value: WholeValue
  take(bytes: Buffer): void
}

interface TakenText {
  readonly pieces: StringPieces
  readonly target: NonNullable<Reading['text']>
}

/**
 * Walks through a JSON text of any size that arrives in chunks. Only the levels that a reading enters are looked at
 * token by token; values below are found by their brackets and passed on whole to the engine's own parser, which is
 * several times faster than one in JavaScript. Holds one value at a time.
 */
export class JsonScanner {
  #expected: Expected = 'value'
  #next: Reading
  readonly #levels: Level[] = []
  #whole: TakenWhole | undefined
  #text: TakenText | undefined
  #chunkStart = 0
  #at = 0

  constructor(root: Reading) {
    this.#next = root
  }

  /** How many bytes were read before the one that is looked at. */
  get offset(): number {
    return this.#chunkStart + this.#at
  }

  /** Reads on. Throws UnexpectedJsonError as soon as the text cannot become what was expected any more. */
  write(chunk: Buffer): void {
    for (this.#at = 0; this.#at < chunk.length; ) this.#at = this.#step(chunk, this.#at)
    this.#chunkStart += chunk.length
    this.#at = 0
  }

  /** Throws UnexpectedJsonError unless the text is complete. */
  end(): void {
    if (this.#expected !== 'nothing')
      throw new UnexpectedJsonError('the JSON ends early; it has been cut off')
  }

  #step(chunk: Buffer, at: number): number {
    if (this.#whole !== undefined) return this.#readWhole(this.#whole, chunk, at)
    if (this.#text !== undefined) return this.#readText(this.#text, chunk, at)
    const byte = chunk[at] as number
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return at + 1
    const level = this.#levels.at(-1)
    if (this.#expected === 'value') return this.#beginValue(byte, at)
    if (level === undefined) throw this.#malformed()
    const closes = byte === BRACKETS[level.kind][1]
    if (closes && (this.#expected === 'first' || this.#expected === 'separator'))
      return this.#leave(level, at)
    if (this.#expected === 'colon') {
      if (byte !== COLON) throw this.#malformed()
      this.#expected = 'value'
      return at + 1
    }
    if (this.#expected === 'separator') {
      if (byte !== COMMA) throw this.#malformed()
      this.#expected = level.kind === 'object' ? 'name' : 'value'
      if (level.kind === 'array') this.#nextElement(level)
      return at + 1
    }
    if (level.kind === 'object') return this.#beginName(level, byte, at)
    this.#nextElement(level)
    return at
  }

  #nextElement(level: Level): void {
    this.#next = level.reading.array?.element(level.next) ?? level.reading
    level.next += 1
    this.#expected = 'value'
  }

  #beginName(level: Level, byte: number, at: number): number {
    if (byte !== QUOTE) throw this.#malformed()
    this.#whole = {
      value: new WholeValue(`a name in ${level.reading.name}`, MOST_NAME_BYTES, byte),
      take: (bytes) => {
        const name = parseJson(bytes, `a name in ${level.reading.name}`) as string
        if (level.names.has(name))
          throw new UnexpectedJsonError(`${level.reading.name}: a member is given twice`)
        level.names.add(name)
        this.#next = level.reading.object?.member(name) ?? level.reading
        this.#expected = 'colon'
      },
    }
    return at
  }

  #beginValue(byte: number, at: number): number {
    const reading = this.#next
    const { whole, text } = reading
    const kind = byte === BRACKETS.object[0] ? 'object' : byte === BRACKETS.array[0] ? 'array' : undefined
    if (kind !== undefined && reading[kind] !== undefined) {
      this.#levels.push({ reading, kind, names: new Set(), next: 0 })
      this.#expected = 'first'
      return at + 1
    }
    if (byte === QUOTE && text !== undefined) {
      this.#text = { pieces: new StringPieces(), target: text }
      return at + 1
    }
    if (whole === undefined)
      throw new UnexpectedJsonError(`${reading.name} must be ${acceptedKinds(reading)}`)
    this.#whole = {
      value: new WholeValue(reading.name, whole.limitBytes, byte),
      take: (bytes) => {
        this.#valueEnded()
        whole.value(bytes)
      },
    }
    return at
  }

  #readWhole(whole: TakenWhole, chunk: Buffer, at: number): number {
    const end = whole.value.scan(chunk, at)
    if (end === undefined) return chunk.length
    this.#whole = undefined
    this.#at = end
    whole.take(whole.value.bytes())
    return end
  }

  #readText(text: TakenText, chunk: Buffer, at: number): number {
    const end = text.pieces.read(chunk, at, (piece) => text.target.write(piece))
    if (end === undefined) return chunk.length
    this.#text = undefined
    text.target.end()
    this.#valueEnded()
    return end
  }

  #leave(level: Level, at: number): number {
    this.#levels.pop()
    this.#valueEnded()
    level.reading[level.kind]?.end?.()
    return at + 1
  }

  #valueEnded(): void {
    this.#expected = this.#levels.length === 0 ? 'nothing' : 'separator'
  }

  #malformed(): UnexpectedJsonError {
    return new UnexpectedJsonError(`the text is not JSON at byte ${this.offset}`)
  }
}

const NAMES_OF_KINDS = { object: 'an object', array: 'an array', text: 'a string' } as const

function acceptedKinds(reading: Reading): string {
  const kinds = Object.entries(NAMES_OF_KINDS).flatMap(([kind, name]) =>
    reading[kind as keyof typeof NAMES_OF_KINDS] === undefined ? [] : [name],
  )
  return kinds.join(' or ')
}

/** Parses a value that was found. Throws UnexpectedJsonError with its name for bytes that are not UTF-8 or not JSON. */
export function parseJson(bytes: Buffer, name: string): unknown {
  if (!isUtf8(bytes)) throw new UnexpectedJsonError(`${name} is not UTF-8`)
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw new UnexpectedJsonError(`${name} is not JSON`, { cause })
  }
}
