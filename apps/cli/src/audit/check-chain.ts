// Checks one audit log against its chain of hashes (docs/reference/audit-log.md). It believes nothing that the server
// computed: every hash is computed again from the rows.

import { createHash } from 'node:crypto'

/** Times are microseconds since 1970, hashes hexadecimal. */
interface SealedRow {
  readonly id: string
  readonly at: number
  readonly hash: string
  readonly content?: string
}

export interface Segment {
  readonly number: number
  readonly sealedAt: number
  readonly rowCount: number
  readonly firstAt: number
  readonly lastAt: number
  readonly rowsHash: string
  readonly previous: string
  readonly hash: string
  readonly rows?: readonly SealedRow[]
}

interface AddedRow {
  readonly id: string
  readonly at: number
}

/** A row or a segment that does not fit. */
export interface ChainProblem {
  readonly kind: 'changed' | 'deleted' | 'reordered' | 'added' | 'cut off'
  readonly text: string
}

/** A head that a signature or a saved file vouches for. */
export interface KnownHead {
  readonly number: number
  readonly hash: string
}

const NO_HASH = '0'.repeat(64)
/** Rows may be missing that are older than this: 400 days, less one for clocks that differ. */
const RETENTION_US = 399 * 86_400_000_000
/** A row has the time at which its transaction began, and is sealed after its commit, in the order of these times. */
const LATEST_COMMIT_US = 60_000_000

export interface ChainCheck {
  /** Takes the next segments of the log, and the rows of their time that no segment lists. */
  add(segments: readonly Segment[], added: readonly AddedRow[]): void
  /** The problems after the last segment. A head that the log does not contain means that its end was cut off or replaced. */
  finish(heads: readonly KnownHead[]): readonly ChainProblem[]
  readonly rows: number
  readonly segments: number
  /** The last segment. */
  readonly head: KnownHead
}

/** Checks the segments of a log in their order; `now` decides which rows may have been removed after their retention. */
export function createChainCheck(log: string, now: Date, wanted: readonly number[]): ChainCheck {
  return new SegmentCheck(log, now, wanted)
}

class SegmentCheck implements ChainCheck {
  readonly #log: string
  readonly #wanted: readonly number[]
  readonly #problems: ChainProblem[] = []
  readonly #hashes = new Map<number, string>([[0, NO_HASH]])
  readonly #missing = new Map<string, ChainProblem>()
  readonly #retainedFrom: number
  #last: KnownHead = { number: 0, hash: NO_HASH }
  /** The latest time of a row in the segments before. */
  #latestAt = 0
  #rows = 0
  #segments = 0

  constructor(log: string, now: Date, wanted: readonly number[]) {
    this.#log = log
    this.#wanted = wanted
    this.#retainedFrom = now.getTime() * 1_000 - RETENTION_US
  }

  add(found: readonly Segment[], added: readonly AddedRow[]): void {
    for (const segment of found) this.#checkSegment(segment)
    for (const { id, at } of added) this.#problems.push(addedProblem(id, at, this.#missing))
  }

  finish(heads: readonly KnownHead[]): readonly ChainProblem[] {
    const cut = heads.filter(({ number, hash }) => this.#hashes.get(number) !== hash)
    return [
      ...this.#problems.filter(({ kind }) => kind !== 'added'),
      ...this.#missing.values(),
      ...this.#problems.filter(({ kind }) => kind === 'added'),
      ...cut.map(
        ({ number }): ChainProblem => ({
          kind: number > this.#last.number ? 'cut off' : 'changed',
          text: `segment ${number} was signed with another hash than it has; the log ends with segment ${this.#last.number}`,
        }),
      ),
    ]
  }

  get rows(): number {
    return this.#rows
  }

  get segments(): number {
    return this.#segments
  }

  get head(): KnownHead {
    return this.#last
  }

  #checkSegment(segment: Segment): void {
    const { number, previous, hash, rows: listed } = segment
    const where = `segment ${number}`
    if (number !== this.#last.number + 1) {
      this.#problems.push({
        kind: number > this.#last.number ? 'deleted' : 'reordered',
        text: `${where} follows segment ${this.#last.number}`,
      })
    } else if (previous !== this.#last.hash) {
      this.#problems.push({
        kind: 'reordered',
        text: `${where} does not name the hash of segment ${this.#last.number}`,
      })
    }
    if (hash !== segmentHash(this.#log, segment))
      this.#problems.push({ kind: 'changed', text: `${where} has another hash` })
    this.#last = { number, hash }
    if (this.#wanted.includes(number)) this.#hashes.set(number, hash)
    this.#segments += 1
    if (listed !== undefined) this.#checkRows(segment, listed)
    else if (segment.lastAt > this.#retainedFrom) {
      this.#problems.push({
        kind: 'deleted',
        text: `${where}: its list of rows is this.#missing before its retention has ended`,
      })
    }
    this.#latestAt = Math.max(this.#latestAt, Math.min(segment.lastAt, segment.sealedAt))
  }

  #checkRows({ number, sealedAt, rowCount, rowsHash }: Segment, listed: readonly SealedRow[]): void {
    const list = Buffer.from(listed.map(({ hash }) => hash).join(''), 'hex')
    if (listed.length !== rowCount || sha256(list) !== rowsHash) {
      this.#problems.push({ kind: 'changed', text: `segment ${number}: its list of rows is another one` })
    }
    for (const [n, { id, at, hash, content }] of listed.entries()) {
      const where = `segment ${number}, row ${n + 1} (${id}, ${isoOf(at)})`
      if (at < this.#latestAt - LATEST_COMMIT_US || at > sealedAt + LATEST_COMMIT_US) {
        this.#problems.push({
          kind: 'added',
          text: `${where} was not written at its time: it was sealed at ${isoOf(sealedAt)}, after rows up to ${isoOf(this.#latestAt)}`,
        })
      }
      if (content === undefined) {
        if (at > this.#retainedFrom) this.#missing.set(id, { kind: 'deleted', text: `${where} is gone` })
        continue
      }
      this.#rows += 1
      if (sha256(content) !== hash)
        this.#problems.push({ kind: 'changed', text: `${where} has another content` })
    }
  }
}

/** A row with the id of one that is gone was moved in time. */
function addedProblem(id: string, at: number, missing: Map<string, ChainProblem>): ChainProblem {
  const gone = missing.get(id)
  if (gone === undefined) return { kind: 'added', text: `row ${id} of ${isoOf(at)} is in no segment` }
  missing.delete(id)
  return { kind: 'reordered', text: `${gone.text.replace(/ is gone$/, '')} was moved to ${isoOf(at)}` }
}

function segmentHash(log: string, segment: Segment): string {
  const { number, sealedAt, rowCount, firstAt, lastAt, rowsHash, previous } = segment
  return sha256(
    ['signet-audit-segment-1', log, number, sealedAt, rowCount, firstAt, lastAt, rowsHash, previous].join(
      '\n',
    ),
  )
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')

const isoOf = (microseconds: number): string => new Date(microseconds / 1_000).toISOString()
