import type { KeyAlgorithm, KeyState, Ring } from './rings.ts'
import type { RingPolicy } from './rotation-policy.ts'

/** When a key passes from state to state; dates that lie ahead are plans. */
export interface KeyDates {
  readonly announcedAt: Date
  /** Holders sign or seal from here on … */
  readonly activeAt: Date
  /** … and no longer from here on, whatever they heard since. */
  readonly retireAt: Date
  /** The last thing made with the key has expired: it leaves the key set and its secret is destroyed. */
  readonly removeAt: Date
  /** Nothing can be verified with it any more: the record is deleted. */
  readonly forgetAt: Date
}

/** A key without its material: all that decides about its life. */
export interface KeyLife extends KeyDates {
  readonly kid: string
  readonly ring: Ring
  readonly algorithm: KeyAlgorithm
  readonly state: KeyState
}

/** A key that has to be made. */
export type PlannedKey = Omit<KeyLife, 'kid'>

/** The dates that follow from when a key is used. */
export function datesOf(
  used: Pick<KeyDates, 'announcedAt' | 'activeAt' | 'retireAt'>,
  { keepMs, verifyOnlyMs }: RingPolicy,
): KeyDates {
  const removeAt = later(used.retireAt, keepMs)
  return { ...used, removeAt, forgetAt: later(removeAt, verifyOnlyMs) }
}

export function later(date: Date, milliseconds: number): Date {
  return new Date(date.getTime() + milliseconds)
}
