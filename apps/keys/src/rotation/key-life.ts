// The states of a key, and the dates at which it passes from one to the next.

import type { KeyAlgorithm, Ring, RingPolicy } from './policy.ts'

/** The life of a key, in order. A key without a public half, or one that must not verify, ends at `removed`. */
export type KeyState = 'announced' | 'active' | 'retired' | 'removed' | 'verify-only'

/** Whether keys of the ring have a public half that verifiers outside the suite may hold. */
export function hasPublicHalf(ring: Ring): boolean {
  return ring === 'signing'
}

/** When a key passes from state to state; dates that lie ahead are plans. */
interface KeyDates {
  readonly announcedAt: Date
  /** Holders sign or seal from here on … */
  readonly activeAt: Date
  /** … and no longer from here on, also with a newer lease. */
  readonly retireAt: Date
  /** The last thing made with the key has expired: it leaves the key set and its secret is destroyed. */
  readonly removeAt: Date
  /** Time of the deletion of the record: no valid token needs the key any more. */
  readonly forgetAt: Date
}

/** A key without its material: all that decides about its life. */
export interface KeyLife extends KeyDates {
  readonly kid: string
  readonly ring: Ring
  readonly algorithm: KeyAlgorithm
  readonly state: KeyState
  /** Set once the key was revoked: nothing made with it counts any more. */
  readonly revokedAt?: Date
}

/** A key that has to be made. */
export type PlannedKey = Omit<KeyLife, 'kid'>

/** The dates of an unused key, all of which follow from the time of its activation. */
export function datesFrom(activeAt: Date, { rotateMs, keepMs, verifyOnlyMs }: RingPolicy) {
  const retireAt = later(activeAt, rotateMs)
  const removeAt = later(retireAt, keepMs)
  return { activeAt, retireAt, removeAt, forgetAt: later(removeAt, verifyOnlyMs) }
}

/** The key working on until `retireAt`. It stays in the key set for as long as it was going to before. */
export function lengthened<K extends KeyDates>(key: K, retireAt: Date, policy: RingPolicy): K {
  const removeAt = laterOf(key.removeAt, later(retireAt, policy.keepMs))
  return { ...key, retireAt, removeAt, forgetAt: later(removeAt, policy.verifyOnlyMs) }
}

export function laterOf(a: Date, b: Date): Date {
  return a > b ? a : b
}

export function earlierOf(a: Date, b: Date): Date {
  return a < b ? a : b
}

export function later(date: Date, milliseconds: number): Date {
  return new Date(date.getTime() + milliseconds)
}

interface Transition {
  readonly at: Date
  /** `forgotten`: the record is deleted. */
  readonly to: KeyState | 'forgotten'
}

/** The next planned transition of a key and its time. */
export function nextTransition({ state, ring, ...dates }: KeyLife): Transition {
  switch (state) {
    case 'announced':
      return { at: dates.activeAt, to: 'active' }
    case 'active':
      return { at: dates.retireAt, to: 'retired' }
    case 'retired':
      return { at: dates.removeAt, to: hasPublicHalf(ring) ? 'verify-only' : 'forgotten' }
    case 'removed':
    case 'verify-only':
      return { at: dates.forgetAt, to: 'forgotten' }
  }
}
