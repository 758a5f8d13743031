import { createHash } from 'node:crypto'
import { isListName } from '../export/lists.ts'
import { JsonScanner, type Reading } from '../json-stream/json-scanner.ts'
import { UnexpectedJsonError } from '../json-stream/json-values.ts'

/** List of a document, of all its organizations together; `orgs` stands for the other members of organizations. */
export interface Section {
  readonly count: number
  /**
   * SHA-256 in hexadecimal: of the arrays of the list as they are written, one behind the other; of `orgs`, of the objects of
   * the organizations without their lists.
   */
  readonly sha256: string
}

export type Sections = Readonly<Record<string, Section>>

/** The section of the organizations themselves. */
export const ORGANIZATIONS = 'orgs'

/** Receives the parts of a document. The bytes are those that were written, and valid during the call only. */
interface SectionListener {
  /** The members of an organization that are not lists. */
  organization?(members: ReadonlyMap<string, Buffer>): void
  record?(list: string, bytes: Buffer, place: string): void
}

const LIMITS = { record: 67_108_864, meta: 65_536 } as const

/**
 * Hashes the sections of an export document, from chunks of bytes. It checks no record, so that it reads what any version
 * wrote. The document must stand there exactly as it was written, without white space around its parts.
 */
export class SectionReader {
  readonly #listener: SectionListener
  readonly #scanner: JsonScanner
  readonly #sections = new Map<string, { count: number; readonly hash: ReturnType<typeof createHash> }>()
  readonly #whole = createHash('sha256')
  #seenBytes = 0
  #wholeEnd: number | undefined
  #meta: Buffer | undefined
  #place = 'the document'

  constructor(listener: SectionListener = {}) {
    this.#listener = listener
    this.#section(ORGANIZATIONS)
    this.#scanner = new JsonScanner({
      name: 'the document',
      object: { member: (name) => this.#member(name) },
    })
  }

  /** The section that is being read, for messages about damage below the document. */
  get place(): string {
    return this.#place
  }

  /** Throws UnexpectedJsonError. */
  write(chunk: Buffer): void {
    this.#scanner.write(chunk)
    const end = Math.min((this.#wholeEnd ?? Number.POSITIVE_INFINITY) - this.#seenBytes, chunk.length)
    if (end > 0) this.#whole.update(chunk.subarray(0, end))
    this.#seenBytes += chunk.length
  }

  /** The counts and hashes of the records so far. */
  sections(): Sections {
    const entries = [...this.#sections].map(([name, { count, hash }]) => [
      name,
      { count, sha256: hash.copy().digest('hex') },
    ])
    return Object.fromEntries(entries)
  }

  /** SHA-256 in hexadecimal of the document up to the end of `orgs`, or to where it was read. */
  sha256(): string {
    return this.#whole.copy().digest('hex')
  }

  /** The end of the document: the bytes of `meta`. Throws UnexpectedJsonError when it is not complete. */
  end(): Buffer | undefined {
    this.#scanner.end()
    return this.#meta
  }

  #section(name: string) {
    const section = this.#sections.get(name) ?? { count: 0, hash: createHash('sha256') }
    this.#sections.set(name, section)
    return section
  }

  #member(name: string): Reading {
    if (name === 'orgs') {
      return {
        name,
        array: {
          element: (index) => this.#organization(index),
          end: () => {
            // The hash covers the bracket that was just read.
            this.#wholeEnd = this.#scanner.offset + 1
          },
        },
      }
    }
    if (name === 'meta') {
      this.#place = name
      return {
        name,
        whole: {
          limitBytes: LIMITS.meta,
          value: (bytes) => {
            this.#meta = Buffer.from(bytes)
          },
        },
      }
    }
    throw new UnexpectedJsonError(`the document has a member that no version of Signet writes`)
  }

  #organization(index: number): Reading {
    const members = new Map<string, Buffer>()
    const place = `orgs[${index}]`
    this.#place = ORGANIZATIONS
    return {
      name: place,
      object: {
        member: (name) => {
          if (isListName(name)) return this.#list(name, place)
          this.#place = ORGANIZATIONS
          const value = (bytes: Buffer) => void members.set(name, Buffer.from(bytes))
          return { name: `${place}.${name}`, whole: { limitBytes: LIMITS.record, value } }
        },
        end: () => this.#organizationEnds(members),
      },
    }
  }

  #organizationEnds(members: ReadonlyMap<string, Buffer>): void {
    const section = this.#section(ORGANIZATIONS)
    section.count += 1
    let before = '{'
    for (const [name, bytes] of members) {
      section.hash.update(`${before}${JSON.stringify(name)}:`).update(bytes)
      before = ','
    }
    section.hash.update('}')
    this.#listener.organization?.(members)
  }

  #list(list: string, organization: string): Reading {
    const section = this.#section(list)
    const name = `${organization}.${list}`
    this.#place = list
    section.hash.update('[')
    let index = 0
    const value = (bytes: Buffer) => {
      if (index > 0) section.hash.update(',')
      section.hash.update(bytes)
      section.count += 1
      this.#listener.record?.(list, bytes, `${name}[${index}]`)
      index += 1
    }
    const element: Reading = {
      get name() {
        return `${name}[${index}]`
      },
      whole: { limitBytes: LIMITS.record, value },
    }
    return { name, array: { element: () => element, end: () => void section.hash.update(']') } }
  }
}
