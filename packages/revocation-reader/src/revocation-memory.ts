import type { LookUp } from './look-up.ts'
import { MIRROR_TTL_SECONDS } from './mirror-keys.ts'

/** Most revocations that a process remembers; some 20 MB. */
export const MOST_REVOCATIONS = 100_000

/** What is told again within this time is not moved to the end: polls tell everything ten times. */
const RENEWED_AFTER_MS = 60_000
const KEPT_MS = MIRROR_TTL_SECONDS * 1_000 + RENEWED_AFTER_MS
/** What goes at once when there is no room: to look for one at a time takes longer than all else. */
const MOST_THAT_GO = MOST_REVOCATIONS / 16

/** Milliseconds that have passed, whatever a clock is set to: an entry that went too early would revive a token. */
export type ElapsedMs = () => number

interface Remembered {
  readonly value: number
  /** After this there is nothing left that it could end. */
  readonly until: number
}

/** The revocations that a process has seen. It knows whether it holds all that matter, or had to give some up. */
export class RevocationMemory {
  readonly #elapsed: ElapsedMs
  /** Those that end first come first. */
  readonly #byEntry = new Map<string, Remembered>()
  #incompleteUntil = Number.POSITIVE_INFINITY
  #givenUp = 0

  constructor(elapsed: ElapsedMs) {
    this.#elapsed = elapsed
  }

  /** Values only rise. */
  keep(entry: string, value: number): void {
    const now = this.#elapsed()
    const until = now + KEPT_MS
    const known = this.#byEntry.get(entry)
    if (known !== undefined && known.value >= value && until - known.until < RENEWED_AFTER_MS) return
    this.#byEntry.delete(entry)
    this.#byEntry.set(entry, { value: Math.max(value, known?.value ?? value), until })
    if (this.#byEntry.size > MOST_REVOCATIONS) this.#makeRoom(now)
  }

  /** Whether any of the entries is remembered as ended. */
  anyEnded(lookUp: LookUp): boolean {
    if (this.#byEntry.size === 0) return false
    return lookUp.entries().some((entry, n) => lookUp.isEndedBy(n, this.#byEntry.get(entry)?.value))
  }

  /** How many it gave up so far while they mattered, for want of room. */
  get givenUp(): number {
    return this.#givenUp
  }

  /** To be told when everything that was revoked so far is kept. */
  holdsAll(): void {
    this.#incompleteUntil = 0
  }

  /** To be told when something that was revoked so far could not be kept. */
  lacksSome(): void {
    this.#incompleteUntil = this.#elapsed() + KEPT_MS
  }

  /** Whether nothing that matters is missing of what it was told. */
  isComplete(): boolean {
    return this.#elapsed() >= this.#incompleteUntil
  }

  #makeRoom(now: number): void {
    for (const [entry, { until }] of this.#byEntry) {
      if (until > now) break
      this.#byEntry.delete(entry)
    }
    if (this.#byEntry.size <= MOST_REVOCATIONS) return
    for (const [entry, { until }] of this.#byEntry) {
      if (this.#byEntry.size <= MOST_REVOCATIONS - MOST_THAT_GO) return
      this.#byEntry.delete(entry)
      this.#incompleteUntil = Math.max(this.#incompleteUntil, until)
      this.#givenUp += 1
    }
  }
}
