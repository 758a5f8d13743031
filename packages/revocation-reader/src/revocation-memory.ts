import type { Clock } from '@signet/service-runtime/clock'
import type { LookUp } from './look-up.ts'
import { MIRROR_TTL_SECONDS } from './mirror-keys.ts'

/** Most revocations that a process remembers; some 20 MB. */
export const MOST_REVOCATIONS = 100_000

interface Remembered {
  readonly value: number
  /** After this there is nothing left that it could end. */
  readonly until: number
}

/** The revocations that a process has seen. It knows whether it holds all that matter, or had to give some up. */
export class RevocationMemory {
  readonly #now: Clock
  /** Those that end first come first. */
  readonly #byEntry = new Map<string, Remembered>()
  #incompleteUntil = Number.POSITIVE_INFINITY
  #givenUp = 0

  constructor(now: Clock) {
    this.#now = now
  }

  /** Values only rise. */
  keep(entry: string, value: number): void {
    const now = this.#now().getTime()
    const known = this.#byEntry.get(entry)
    this.#byEntry.delete(entry)
    const until = now + MIRROR_TTL_SECONDS * 1_000
    this.#byEntry.set(entry, { value: Math.max(value, known?.value ?? value), until })
    this.#makeRoom(now)
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
    this.#incompleteUntil = this.#now().getTime() + MIRROR_TTL_SECONDS * 1_000
  }

  /** Whether nothing that matters is missing of what it was told. */
  isComplete(): boolean {
    return this.#now().getTime() >= this.#incompleteUntil
  }

  #makeRoom(now: number): void {
    for (const [entry, { until }] of this.#byEntry) {
      if (until > now) {
        if (this.#byEntry.size <= MOST_REVOCATIONS) return
        this.#incompleteUntil = Math.max(this.#incompleteUntil, until)
        this.#givenUp += 1
      }
      this.#byEntry.delete(entry)
    }
  }
}
