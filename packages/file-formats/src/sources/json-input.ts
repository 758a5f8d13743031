import { JsonScanner, parseJson, type Reading } from '../json-stream/json-scanner.ts'
import { UnexpectedJsonError, WholeValue } from '../json-stream/json-values.ts'
import { SourceError, type SourceFile } from './conversion.ts'

export const MEBIBYTE = 1_048_576

const BYTE_ORDER_MARK = Buffer.of(0xef, 0xbb, 0xbf)

/** The bytes of a file without a byte-order mark, which programs on Windows write. */
async function* bytesOf(file: SourceFile): AsyncGenerator<Buffer> {
  let first = true
  for await (const chunk of file.open()) {
    yield first && chunk.subarray(0, 3).equals(BYTE_ORDER_MARK) ? chunk.subarray(3) : chunk
    first = false
  }
}

/**
 * Reads a JSON file, and yields what the reading emits while it goes on. Throws SourceError with the name of the file when
 * it is not the expected JSON.
 */
export async function* readJson<T>(
  file: SourceFile,
  createReading: (emit: (value: T) => void) => Reading,
): AsyncGenerator<T> {
  let emitted: T[] = []
  const scanner = new JsonScanner(createReading((value) => emitted.push(value)))
  try {
    for await (const chunk of bytesOf(file)) {
      scanner.write(chunk)
      yield* emitted
      emitted = []
    }
    scanner.end()
  } catch (error) {
    throw unreadable(file, error)
  }
  yield* emitted
}

const LINE_FEED = 0x0a
const SPACE = 0x20
const MOST_LINE_BYTES = 1.5 * MEBIBYTE

/** The objects of a file with one JSON value a line, or of a JSON array. */
export async function* readJsonLines(file: SourceFile): AsyncGenerator<unknown> {
  let rest: Buffer = Buffer.alloc(0)
  let line = 0
  try {
    for await (const chunk of bytesOf(file)) {
      if (line === 0 && rest.length === 0 && chunk.toString('latin1').trimStart().startsWith('[')) {
        return yield* readJsonArray(file)
      }
      let from = 0
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
        line += 1
        const bytes = Buffer.concat([rest, chunk.subarray(from, end)])
        rest = Buffer.alloc(0)
        from = end + 1
        yield* lineValue(bytes, line)
      }
      rest = Buffer.concat([rest, chunk.subarray(from)])
      if (rest.length > MOST_LINE_BYTES) throw tooLong(line + 1)
    }
    yield* lineValue(rest, line + 1)
  } catch (error) {
    throw unreadable(file, error)
  }
}

/**
 * The elements of a list of this name in a file: an object with the list as a member, an array, or one JSON value a line.
 * Throws SourceError for a file of another form.
 */
export async function* readJsonList(file: SourceFile, list: string): AsyncGenerator<unknown> {
  let start = ''
  for await (const chunk of bytesOf(file)) {
    start = chunk.toString('latin1')
    break
  }
  if (!new RegExp(`^\\s*\\{[^]*"${list}"\\s*:\\s*\\[`).test(start)) return yield* readJsonLines(file)
  yield* readJson(file, (emit) => {
    const element: Reading = {
      name: 'an element',
      whole: { limitBytes: MOST_LINE_BYTES, value: (bytes) => emit(parseJson(bytes, 'an element')) },
    }
    const skipped = { limitBytes: MEBIBYTE, value: () => undefined }
    const member = (name: string): Reading =>
      name === list ? { name, array: { element: () => element } } : { name, whole: skipped }
    return { name: 'the file', object: { member } }
  })
}

/** The elements of a file that is one JSON array. */
function readJsonArray(file: SourceFile): AsyncGenerator<unknown> {
  return readJson(file, (emit) => {
    const element: Reading = {
      name: 'an element',
      whole: { limitBytes: MOST_LINE_BYTES, value: (bytes) => emit(parseJson(bytes, 'an element')) },
    }
    return { name: 'the file', array: { element: () => element } }
  })
}

function lineValue(bytes: Buffer, line: number): readonly unknown[] {
  if (bytes.length > MOST_LINE_BYTES) throw tooLong(line)
  const from = bytes.findIndex((byte) => byte > SPACE)
  if (from < 0) return []
  const name = `line ${line}`
  // Refuses one that is nested too deep for what reads it.
  new WholeValue(name, MOST_LINE_BYTES, bytes[from] ?? SPACE).scan(bytes, from)
  return [parseJson(bytes, name)]
}

const tooLong = (line: number) =>
  new UnexpectedJsonError(`line ${line} is larger than ${MOST_LINE_BYTES} bytes`)

function unreadable(file: SourceFile, error: unknown): unknown {
  if (!(error instanceof UnexpectedJsonError)) return error
  return new SourceError(`${file.name}: ${error.message}`, { cause: error })
}
