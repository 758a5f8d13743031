import { createHash } from 'node:crypto'
import { z } from 'zod'
import { JsonScanner, parseJson, type Reading } from '../json-stream/json-scanner.ts'
import { UnexpectedJsonError } from '../json-stream/json-values.ts'
import type { DocumentSink } from './document-sink.ts'
import { isListName, LIST_NAMES, type ListName, shapeOf } from './lists.ts'
import { inV2Layout, organizationHeader } from './organization-header.ts'
import { createRecordCheck } from './record-check.ts'

export interface DocumentSummary {
  readonly organizations: number
  readonly records: number
  /** Issuer, counts and hash; documents of other products have none. */
  readonly meta?: DocumentMeta
  /** Whether the bytes of `orgs` match the hash in `meta`; undefined without a hash. */
  readonly intact?: boolean
}

export const documentMeta = z.object({
  format: z.literal('signet-export', { error: 'must be signet-export' }),
  version: z.literal(1, { error: 'must be 1; a later version needs a later Signet' }),
  createdAt: z.string().optional(),
  issuer: z.string().optional(),
  counts: z.record(z.string(), z.int().min(0)),
  sha256: z.string().optional(),
})
export type DocumentMeta = z.output<typeof documentMeta>

const MEBIBYTE = 1_048_576
const LIMITS = { record: 1.5 * MEBIBYTE, header: MEBIBYTE / 4, meta: MEBIBYTE / 16 } as const

const CHECKS = new Map(
  LIST_NAMES.map((list) => [list, createRecordCheck(shapeOf(list).schema, shapeOf(list).credentials)]),
)
/** Enough members to know another product by. */
const MOST_FOREIGN = 1_000
const COUNTED: ReadonlySet<string> = new Set(['orgs', 'domains', ...LIST_NAMES])
const checkHeader = createRecordCheck(organizationHeader)

/**
 * Interprets an export document of either layout anywhere in a JSON text. Checks every record and holds one at a
 * time. Reports problems of a record to the sink; throws UnexpectedJsonError for a text that is not such a document.
 */
export class DocumentContents {
  /** The description of the document for the JSON scanner. */
  readonly reading: Reading
  readonly #sink: DocumentSink
  readonly #counts: Record<string, number> = {}
  #organizations = 0
  #records = 0
  #meta: DocumentMeta | undefined
  #hasOrganizations = false
  /** Members of the document that the format does not have. */
  readonly #foreign: string[] = []

  /** `orgsEnd` is called at the end of the array of organizations. */
  constructor(sink: DocumentSink, orgsEnd: () => void = () => undefined) {
    this.#sink = sink
    const members: Readonly<Record<string, () => Reading>> = {
      orgs: () => {
        this.#hasOrganizations = true
        return { name: 'orgs', array: { element: (index) => this.#organization(index), end: orgsEnd } }
      },
      meta: () => ({
        name: 'meta',
        whole: { limitBytes: LIMITS.meta, value: (bytes) => this.#readMeta(bytes) },
      }),
    }
    this.reading = {
      name: 'the document',
      object: {
        member: (name) => {
          const known = members[name]?.()
          if (known === undefined && this.#foreign.length < MOST_FOREIGN) this.#foreign.push(name)
          return known ?? this.#ignored(name)
        },
      },
    }
  }

  /**
   * The counts of the records that were read. Throws UnexpectedJsonError when they differ from the counts in `meta`, and for a
   * document without the member `orgs`.
   */
  summary(): DocumentSummary {
    if (!this.#hasOrganizations)
      throw new UnexpectedJsonError(`has no member orgs${productOf(this.#foreign)}`)
    const meta = this.#meta
    const summary = { organizations: this.#organizations, records: this.#records }
    if (meta === undefined) return summary
    for (const [list, count] of Object.entries(meta.counts)) {
      // A list of a later version is not read, so its count is not compared.
      if (!COUNTED.has(list)) continue
      const found = list === 'orgs' ? this.#organizations : (this.#counts[list] ?? 0)
      if (found !== count) {
        throw new UnexpectedJsonError(
          `meta.counts: ${count} ${list} were written, ${found} are here; the document is truncated`,
        )
      }
    }
    return { ...summary, meta }
  }

  #organization(organization: number): Reading {
    const members = new Map<string, unknown>()
    const name = `orgs[${organization}]`
    this.#organizations += 1
    return {
      name,
      object: {
        member: (written) => {
          const member = camelName(written)
          if (isListName(member)) return this.#list(organization, member, members)
          if (!Object.hasOwn(organizationHeader.shape, member)) return this.#ignored(member)
          return {
            name: `${name}.${member}`,
            whole: {
              limitBytes: LIMITS.header,
              value: (bytes) => members.set(member, parseJson(bytes, `${name}.${member}`)),
            },
          }
        },
        end: () => this.#organizationEnds(organization, members),
      },
    }
  }

  #organizationEnds(organization: number, members: ReadonlyMap<string, unknown>): void {
    const bytes = Buffer.from(JSON.stringify(Object.fromEntries(members)))
    const checked = checkHeader(bytes, (name) => this.#sink.dropped(name))
    if ('record' in checked) {
      const domains = checked.record.domains?.length ?? 0
      this.#count('domains', domains)
      this.#sink.organization(organization, inV2Layout(checked.record))
      return
    }
    const { problems, text } = checked
    const named = knownId(members.get('orgId'))
    const id = 'organizationId' in named ? { id: named.organizationId } : {}
    this.#sink.invalid({ organization, ...named, ...id, problems, text })
  }

  #list(organization: number, list: ListName, members: ReadonlyMap<string, unknown>): Reading {
    const check = CHECKS.get(list)
    if (check === undefined) throw new Error(`${list} has no check`)
    const dropped = (name: string) => this.#sink.dropped(name)
    let index = 0
    const value = (bytes: Buffer) => {
      const checked = check(bytes, dropped)
      if ('record' in checked) this.#sink.record(organization, list, index, checked.record)
      else {
        const { value, ...refused } = checked
        const id = statedId(list, value)
        const place = { organization, ...knownId(members.get('orgId')), list, index }
        this.#sink.invalid({ ...place, ...(id !== undefined && { id }), ...refused })
      }
      index += 1
    }
    // All records share one object, since a list may have a million records.
    const element: Reading = {
      get name() {
        return `orgs[${organization}].${list}[${index}]`
      },
      whole: { limitBytes: LIMITS.record, value },
    }
    return {
      name: `orgs[${organization}].${list}`,
      array: { element: () => element, end: () => this.#count(list, index) },
    }
  }

  #count(list: string, records: number): void {
    this.#counts[list] = (this.#counts[list] ?? 0) + records
    this.#records += records
  }

  #ignored(name: string): Reading {
    this.#sink.dropped(camelName(name))
    return {
      name: 'a member that is not part of the format',
      whole: { limitBytes: LIMITS.record, value: () => undefined },
    }
  }

  #readMeta(bytes: Buffer): void {
    const result = documentMeta.safeParse(parseJson(bytes, 'meta'))
    if (!result.success) {
      const [issue] = result.error.issues
      throw new UnexpectedJsonError(`meta.${issue?.path.join('.')}: ${issue?.message}`)
    }
    this.#meta = result.data
  }
}

/**
 * Reads a document that is not embedded in other JSON, from chunks of bytes, and checks its hash.
 */
export class DocumentReader {
  readonly #contents: DocumentContents
  readonly #scanner: JsonScanner
  readonly #hash = createHash('sha256')
  #seenBytes = 0
  #leadingBytes = 0
  #hashEnd: number | undefined

  constructor(sink: DocumentSink) {
    this.#contents = new DocumentContents(sink, () => {
      // The hash covers the bracket that was just read.
      this.#hashEnd = this.#scanner.offset + 1
    })
    this.#scanner = new JsonScanner(this.#contents.reading)
  }

  /** Throws UnexpectedJsonError. */
  write(chunk: Buffer): void {
    this.#scanner.write(chunk)
    this.#hashDocument(chunk)
  }

  /** Throws UnexpectedJsonError unless the document is complete: all brackets are closed, and the counts in `meta` match. */
  end(): DocumentSummary {
    this.#scanner.end()
    const summary = this.#contents.summary()
    const expected = summary.meta?.sha256
    return expected === undefined ? summary : { ...summary, intact: this.#hash.digest('hex') === expected }
  }

  /** Hashes from the first brace to the bracket that closes `orgs`, because `meta` follows and contains the hash. */
  #hashDocument(chunk: Buffer): void {
    const start = this.#seenBytes === this.#leadingBytes ? leadingSpaces(chunk) : 0
    if (this.#seenBytes === this.#leadingBytes) this.#leadingBytes += start
    const end = Math.min((this.#hashEnd ?? Number.POSITIVE_INFINITY) - this.#seenBytes, chunk.length)
    if (end > start) this.#hash.update(chunk.subarray(start, end))
    this.#seenBytes += chunk.length
  }
}

function leadingSpaces(chunk: Buffer): number {
  const first = chunk.indexOf('{')
  return first < 0 ? chunk.length : first
}

/** The option that reads a file with these members at its top. */
function productOf(members: readonly string[]): string {
  const has = (name: string) => members.includes(name)
  if (has('realm')) return '; it is a realm of Keycloak: signet import --from keycloak reads it'
  if (members.some((name) => /^data_?orgs/i.test(name)))
    return '; it is a call of ZITADEL: signet import --from zitadel reads it'
  return has('users') ? '; docs/coming-from-elsewhere.md names the products whose files are read' : ''
}

const knownId = (id: unknown) => (typeof id === 'string' && id.length <= 200 ? { organizationId: id } : {})

/** The id of a record that may lack any member. */
function statedId(list: ListName, value: unknown): string | undefined {
  try {
    const id: unknown = shapeOf(list).id(value as never)
    return typeof id === 'string' && /^[\x21-\x7e]{1,400}$/.test(id) && !id.includes('undefined')
      ? id
      : undefined
  } catch (error) {
    // The id is a member of an object that is absent.
    if (error instanceof TypeError) return undefined
    throw error
  }
}

const camelName = (name: string): string =>
  name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
