import type { RevocationFacts } from '@signet/token-format/revocation-facts'
import { entryOf, fillKey, marksOf, mirrorKey, shardOf } from './mirror-keys.ts'

/** Below every epoch: what carries none is ended by any entry. */
const NO_EPOCH = -1

/** The keys of a look-up in the mirror. */
interface MirrorKeys {
  readonly shard: number
  readonly fill: string
  /** In the order of the entries. */
  readonly ofEntries: readonly string[]
}

/** In no id, because PostgreSQL cannot store it. */
const SEPARATOR = '\0'

/** Facts in the form in which they are looked up, made once for any number of checks, and small since many are kept. */
export class LookUp {
  /** As one text, which takes half as much as one for each. */
  readonly #entries: string
  /** The epoch under which it was made, for each entry. */
  readonly #epochs: readonly number[]
  readonly #subject: string

  constructor(facts: RevocationFacts) {
    const marks = marksOf(facts)
    this.#subject = facts.subject
    this.#entries = marks.map(entryOf).join(SEPARATOR)
    this.#epochs = marks.map(({ epoch }) => epoch ?? NO_EPOCH)
  }

  /** What would end it: `<kind>:<id>`. */
  entries(): readonly string[] {
    return this.#entries.split(SEPARATOR)
  }

  /** The epoch for the n-th entry; undefined where any value ends it. */
  epoch(n: number): number | undefined {
    const epoch = this.#epochs[n] ?? NO_EPOCH
    return epoch === NO_EPOCH ? undefined : epoch
  }

  /** Whether a value that stands for the n-th entry ends it; none does not. */
  isEndedBy(n: number, value: number | undefined): boolean {
    return value !== undefined && (this.#epochs[n] ?? NO_EPOCH) < value
  }

  /** Made anew each time: it would be most of what is kept, and is only asked for while the log cannot answer. */
  mirrorKeys(): MirrorKeys {
    const shard = shardOf(this.#subject)
    const ofEntries = this.entries().map((entry) => mirrorKey(shard, entry))
    return { shard, fill: fillKey(shard), ofEntries }
  }
}
