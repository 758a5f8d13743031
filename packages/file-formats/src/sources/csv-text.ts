import { TextDecoder } from 'node:util'
import { SourceError, type SourceFile } from './conversion.ts'

const LINE_FEED = 0x0a

/** The text of a file in one encoding. */
export class CsvText {
  readonly #file: SourceFile
  readonly #encoding: string

  constructor(file: SourceFile, encoding: string) {
    this.#file = file
    this.#encoding = encoding
  }

  /**
   * The text in parts. A byte-order mark of UTF-16 counts before the encoding. Throws SourceError with the line for bytes that
   * are not of the encoding.
   */
  async *read(): AsyncGenerator<string> {
    let decoder: TextDecoder | undefined
    let line = 1
    for await (const chunk of this.#file.open()) {
      decoder ??= new TextDecoder(encodingOf(chunk) ?? this.#encoding, { fatal: true })
      try {
        yield decoder.decode(chunk, { stream: true })
      } catch (cause) {
        throw this.#refusal(line + lineIn(chunk, decoder.encoding), cause)
      }
      line += chunk.filter((byte) => byte === LINE_FEED).length
    }
    try {
      const rest = decoder?.decode()
      if (rest) yield rest
    } catch (cause) {
      throw this.#refusal(line, cause)
    }
  }

  #refusal(line: number, cause: unknown): SourceError {
    const advice =
      this.#encoding === 'utf-8' ? '; a file of Excel can be "encoding: windows-1252" in the mapping' : ''
    return new SourceError(
      `${this.#file.name}: line ${line} is not ${this.#encoding.toUpperCase()}${advice}`,
      {
        cause,
      },
    )
  }
}

function encodingOf(chunk: Buffer): string | undefined {
  if (chunk[0] === 0xff && chunk[1] === 0xfe) return 'utf-16le'
  return chunk[0] === 0xfe && chunk[1] === 0xff ? 'utf-16be' : undefined
}

/** The number of lines of a part before the first bytes that are not of the encoding. */
function lineIn(chunk: Buffer, encoding: string): number {
  let lines = 0
  for (let from = 0; from < chunk.length; lines += 1) {
    const end = chunk.indexOf(LINE_FEED, from)
    const line = chunk.subarray(from, end < 0 ? chunk.length : end + 1)
    try {
      new TextDecoder(encoding, { fatal: true }).decode(line)
    } catch {
      // The first line of a part can begin inside of a character.
      if (lines > 0 || from > 0 || isWholeCharacter(line)) return lines
    }
    if (end < 0) break
    from = end + 1
  }
  return lines
}

const isWholeCharacter = (line: Buffer) => ((line[0] ?? 0) & 0xc0) !== 0x80
