import type { RevocationKeys } from '@signet/tokens/access-token'
import { type Ending, listRevocationKeys } from './endings.ts'

/** The revocation keys of a token or session in the form that a look-up needs, made once for any number of checks. */
export interface LookUp {
  /** Generation of the database when the token was made; 0 when it carries none. */
  readonly generation: number
  /** The endings that would revoke it, each `<kind><id>`, joined by SEPARATOR: half the size of an array. */
  readonly names: string
  /** Numbers of each key: the two halves of its hash and its epoch, or NO_EPOCH. */
  readonly numbers: readonly number[]
}

/** Part of no id, because PostgreSQL cannot store it. */
export const SEPARATOR = '\0'

/** Below every epoch: an entry with any value ends what carries no epoch. */
export const NO_EPOCH = -1

/** Each part grows alone, so that no insertion moves more than a few thousand entries. */
const PARTS = 256
const FEWEST_SLOTS = 16
/** An `until` that never passes. */
const FOREVER = 0xffff_ffff

/** An open-addressing hash table with linear probing; a slot with `until` 0 is free. */
interface Part {
  /** Two 32-bit halves for each slot. */
  hashes: Int32Array
  values: Float64Array
  /** Elapsed seconds. */
  untils: Uint32Array
  size: number
}

/**
 * The endings of a process, 20 bytes a slot. An entry is identified by a 64-bit keyed hash of its kind and id: a
 * collision, one in 10^13 look-ups beside 1,000,000 entries, revokes a token too many and never one too few.
 */
export class RevocationSet {
  /** True once an ending did not fit. */
  overfull = false
  readonly #maxEndings: number
  readonly #elapsedSeconds: () => number
  readonly #key: readonly [number, number]
  readonly #parts: readonly Part[] = Array.from({ length: PARTS }, () => emptyPart(FEWEST_SLOTS))
  #size = 0
  #swept = 0

  /** `key`: 8 random bytes, so that ids chosen by a tenant cannot be made to collide. */
  constructor(maxEndings: number, elapsedSeconds: () => number, key: Buffer) {
    this.#maxEndings = maxEndings
    this.#elapsedSeconds = elapsedSeconds
    this.#key = [key.readInt32LE(0), key.readInt32LE(4)]
  }

  get size(): number {
    return this.#size
  }

  lookUp(keys: RevocationKeys): LookUp {
    const list = listRevocationKeys(keys)
    const names = list.map(({ kind, id }) => kind + id)
    return {
      generation: keys.generation ?? 0,
      names: names.join(SEPARATOR),
      numbers: list.flatMap(({ epoch }, n) => {
        hash(names[n] ?? '', this.#key)
        return [HASH[0], HASH[1], epoch ?? NO_EPOCH]
      }),
    }
  }

  /** Adds an ending; of one that is there value and remaining life only rise. Beyond the bound only keys are added. */
  keep({ kind, id, value, secondsLeft }: Ending): void {
    if (secondsLeft <= 0) return
    hash(kind + id, this.#key)
    const [high, low] = HASH
    const now = this.#elapsedSeconds()
    const until = Math.min(Math.ceil(now + secondsLeft), FOREVER)
    const part = this.#partOf(high)
    let slot = slotOf(part, high, low)
    if (part.untils[slot] === 0) {
      if (kind !== 'k' && this.#size >= this.#maxEndings) {
        this.overfull = true
        return
      }
      if (isFull(part.size + 1, part.untils.length)) {
        this.#rebuild(part, now)
        slot = slotOf(part, high, low)
      }
      part.hashes.set(HASH, 2 * slot)
      part.size += 1
      this.#size += 1
    }
    part.values[slot] = Math.max(value, part.values[slot] ?? 0)
    part.untils[slot] = Math.max(until, part.untils[slot] ?? 0)
  }

  anyEnded({ numbers }: LookUp): boolean {
    for (let n = 0; n < numbers.length; n += 3) {
      const value = this.#valueOf(numbers[n] ?? 0, numbers[n + 1] ?? 0)
      if (value !== undefined && (numbers[n + 2] ?? NO_EPOCH) < value) return true
    }
    return false
  }

  isKeyRevoked(kid: string): boolean {
    hash(`k${kid}`, this.#key)
    return this.#valueOf(HASH[0], HASH[1]) !== undefined
  }

  /** Removes the lapsed entries of a few parts; PARTS / 4 calls go round. A lapsed entry ends only what is dead. */
  sweep(): void {
    const now = this.#elapsedSeconds()
    for (let n = 0; n < 4; n += 1) {
      const part = this.#partOf(this.#swept << 24)
      this.#swept = (this.#swept + 1) % PARTS
      if (part.untils.some((until) => until !== 0 && until <= now)) this.#rebuild(part, now)
    }
  }

  #partOf(high: number): Part {
    return this.#parts[high >>> 24] as Part
  }

  #valueOf(high: number, low: number): number | undefined {
    const part = this.#partOf(high)
    const slot = slotOf(part, high, low)
    return part.untils[slot] === 0 ? undefined : part.values[slot]
  }

  /** Copies what has not lapsed into a table of the right size, with room for one more. */
  #rebuild(part: Part, now: number): void {
    const { hashes, values, untils } = part
    let size = 0
    for (const until of untils) if (until > now) size += 1
    let slots = FEWEST_SLOTS
    while (isFull(size + 1, slots)) slots *= 2
    this.#size += size - part.size
    Object.assign(part, emptyPart(slots), { size })
    for (let from = 0; from < untils.length; from += 1) {
      const until = untils[from] ?? 0
      if (until <= now) continue
      const to = slotOf(part, hashes[2 * from] ?? 0, hashes[2 * from + 1] ?? 0)
      part.hashes.set(hashes.subarray(2 * from, 2 * from + 2), 2 * to)
      part.values[to] = values[from] ?? 0
      part.untils[to] = until
    }
  }
}

function emptyPart(slots: number): Part {
  return {
    hashes: new Int32Array(2 * slots),
    values: new Float64Array(slots),
    untils: new Uint32Array(slots),
    size: 0,
  }
}

/** Beyond three quarters the runs of linear probing become long. */
function isFull(size: number, slots: number): boolean {
  return size * 4 > slots * 3
}

/** The slot of an entry, or the free one in which it belongs. */
function slotOf({ hashes, untils }: Part, high: number, low: number): number {
  const mask = untils.length - 1
  let slot = low & mask
  while (untils[slot] !== 0 && (hashes[2 * slot + 1] !== low || hashes[2 * slot] !== high)) {
    slot = (slot + 1) & mask
  }
  return slot
}

/** The two halves of the last hash: an array of its own for each would double the time of a load. */
const HASH = new Int32Array(2) as Int32Array & [number, number]
const STATE = new Int32Array(4) as Int32Array & [number, number, number, number]

/** HalfSipHash-1-3 with 64 bits of output over the UTF-16 code units, into HASH. */
function hash(text: string, [key0, key1]: readonly [number, number]): void {
  STATE[0] = key0
  STATE[1] = key1 ^ 0xee
  STATE[2] = key0 ^ 0x6c79_6765
  STATE[3] = key1 ^ 0x7465_6462
  const pairs = text.length >> 1
  for (let n = 0; n < pairs; n += 1) {
    absorb(text.charCodeAt(2 * n) | (text.charCodeAt(2 * n + 1) << 16))
  }
  absorb((text.length << 24) | (text.length % 2 === 1 ? text.charCodeAt(text.length - 1) : 0))
  STATE[2] ^= 0xee
  for (let n = 0; n < 3; n += 1) round()
  HASH[0] = STATE[1] ^ STATE[3]
  STATE[1] ^= 0xdd
  for (let n = 0; n < 3; n += 1) round()
  HASH[1] = STATE[1] ^ STATE[3]
}

function absorb(word: number): void {
  STATE[3] ^= word
  round()
  STATE[0] ^= word
}

function round(): void {
  let [v0, v1, v2, v3] = STATE
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  STATE[0] = v0
  STATE[1] = v1
  STATE[2] = v2
  STATE[3] = v3
}
