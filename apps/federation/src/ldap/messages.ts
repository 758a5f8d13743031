// The messages of a server as ldapts may read them (RFC 4511 section 4). Its parser does not end where a length goes beyond the
// message around it, calls itself once for each message of a chunk, and copies all that it has for each chunk. So it gets whole
// messages of the five kinds that a server answers with, one at a time, and nothing more once one is another.
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { Refused } from '../conversation/refusal.ts'

/** Bytes that a server sends on one connection. */
const MOST_BYTES = 1_048_576

const SEQUENCE = 0x30
const SET = 0x31
const INTEGER = 0x02
const ENUMERATED = 0x0a
const OCTETS = 0x04
const CONTROLS = 0xa0

const BIND_RESPONSE = 0x61
const SEARCH_ENTRY = 0x64
const SEARCH_DONE = 0x65
const SEARCH_REFERENCE = 0x73
const EXTENDED_RESPONSE = 0x78
/** Referral, SASL credentials, and name and value of an extended response. */
const OF_RESULT: readonly number[] = [0xa3, 0x87, 0x8a, 0x8b]

interface Part {
  readonly tag: number
  readonly content: Buffer
  readonly end: number
}

/** A connection whose readable side has one message in each chunk. It ends with `failure` when the server breaks a rule. */
export class LdapMessages extends Duplex {
  /** A member of sockets that ldapts reads before it writes. */
  readonly readyState = 'open'
  failure: Refused | undefined
  readonly #socket: Socket
  #received: Buffer[] = []
  #bytes = 0
  #waiting = 0
  #needed = 2

  constructor(socket: Socket) {
    super({ readableObjectMode: true })
    this.#socket = socket
    socket.on('data', this.#take)
    socket.once('close', () => this.destroy())
  }

  /** Leaves the connection to another reader. Bytes that were not read are lost. */
  detach(): void {
    this.#socket.off('data', this.#take)
  }

  readonly #take = (chunk: Buffer): void => {
    if (this.destroyed) return
    this.#bytes += chunk.length
    this.#waiting += chunk.length
    this.#received.push(chunk)
    if (this.#bytes > MOST_BYTES) {
      this.#refuse(new Refused('answer_too_long', { expected: `at most ${MOST_BYTES} bytes` }))
    } else if (this.#waiting >= this.#needed) {
      // Copies once for each message, however many chunks it came in.
      this.#read(Buffer.concat(this.#received))
    }
  }

  #read(received: Buffer): void {
    let rest = received
    for (;;) {
      const end = endOfPart(rest, 0)
      const message = end === undefined || rest.length < end ? undefined : readMessage(rest.subarray(0, end))
      if (end === undefined || (rest.length >= end && message === undefined)) {
        this.#refuse(new Refused('answer_malformed'))
        return
      }
      this.#needed = end
      if (message === undefined || this.destroyed) break
      this.push(message)
      rest = rest.subarray(end)
    }
    this.#received = [rest]
    this.#waiting = rest.length
  }

  #refuse(failure: Refused): void {
    this.failure = failure
    this.#received = []
    this.destroy()
  }

  override _read(): void {
    // Messages come as the server sends them.
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done)
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}

/**
 * The position after the part that begins at `at`, or after as much of it as its length needs. Undefined for a length that is not
 * definite or of more bytes than a connection has.
 */
function endOfPart(bytes: Buffer, at: number): number | undefined {
  const first = bytes[at + 1]
  if (first === undefined) return at + 2
  if (first < 0x80) return at + 2 + first
  const count = first & 0x7f
  if (count === 0 || count > 4) return undefined
  const begin = at + 2 + count
  if (bytes.length < begin) return begin
  const length = bytes.readUIntBE(at + 2, count)
  return length > MOST_BYTES ? undefined : begin + length
}

/** The parts that fill these bytes; undefined where one goes beyond them. */
function partsOf(bytes: Buffer): readonly Part[] | undefined {
  const parts: Part[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = endOfPart(bytes, at)
    const [tag = 0, first = 0] = bytes.subarray(at, at + 2)
    if (end === undefined || end > bytes.length) return undefined
    parts.push({ tag, end, content: bytes.subarray(at + 2 + (first < 0x80 ? 0 : first & 0x7f), end) })
    at = end
  }
  return parts
}

/** The message without its controls, none of which was asked for; undefined for another one than a server may send. */
function readMessage(bytes: Buffer): Buffer | undefined {
  const [message] = partsOf(bytes) ?? []
  if (message?.tag !== SEQUENCE) return undefined
  const [id, operation, controls, ...others] = partsOf(message.content) ?? []
  if (id?.tag !== INTEGER || !isNumber(id) || operation === undefined || others.length > 0) return undefined
  if (controls !== undefined && controls.tag !== CONTROLS) return undefined
  if (READERS[operation.tag]?.(operation.content) !== true) return undefined
  const content = message.content.subarray(0, operation.end)
  const header = Buffer.from([SEQUENCE, 0x84, 0, 0, 0, 0])
  header.writeUInt32BE(content.length, 2)
  return Buffer.concat([header, content])
}

const READERS: Readonly<Record<number, (content: Buffer) => boolean>> = {
  [BIND_RESPONSE]: isResult,
  [SEARCH_DONE]: isResult,
  [EXTENDED_RESPONSE]: isResult,
  [SEARCH_REFERENCE]: areOctets,
  [SEARCH_ENTRY]: isEntry,
}

const isNumber = ({ content }: Part) => content.length > 0 && content.length <= 4

/** Section 4.1.9. */
function isResult(content: Buffer): boolean {
  const [code, name, text, ...others] = partsOf(content) ?? []
  if (code?.tag !== ENUMERATED || !isNumber(code)) return false
  return name?.tag === OCTETS && text?.tag === OCTETS && others.every(({ tag }) => OF_RESULT.includes(tag))
}

/** Section 4.5.2. */
function isEntry(content: Buffer): boolean {
  const [name, attributes, ...others] = partsOf(content) ?? []
  if (name?.tag !== OCTETS || attributes?.tag !== SEQUENCE || others.length > 0) return false
  return (
    partsOf(attributes.content)?.every(({ tag, content: attribute }) => {
      const [type, values, ...more] = partsOf(attribute) ?? []
      if (tag !== SEQUENCE || type?.tag !== OCTETS || values?.tag !== SET || more.length > 0) return false
      return areOctets(values.content)
    }) === true
  )
}

function areOctets(content: Buffer): boolean {
  return partsOf(content)?.every(({ tag }) => tag === OCTETS) === true
}
