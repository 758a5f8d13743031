import { datesFrom, type KeyLife, later, laterOf, lengthened, type PlannedKey } from './key-life.ts'
import type { KeyAlgorithm, Ring } from './rings.ts'
import type { RotationPolicy } from './rotation-policy.ts'

/** One key after the other of a ring and an algorithm: the active one and those that are announced. */
export interface Line {
  readonly ring: Ring
  readonly algorithm: KeyAlgorithm
}

/**
 * The next key and one behind it: an emergency right after a switch must find a key that every cache of the key set
 * holds, and the key that was announced at the switch is in few of them yet.
 */
const ANNOUNCED_AHEAD = 2

/** A key that is known, or one without an id that has to be made. */
export type LineKey = KeyLife | PlannedKey

/** The line as it shall be now: the key that has just retired, the active key, and enough announced ones. */
export function planLine(
  ringKeys: readonly KeyLife[],
  line: Line,
  policy: RotationPolicy,
  now: Date,
): readonly LineKey[] {
  const chain = linked(lineOf(ringKeys, line), policy)
  // The last key whose turn has come: a suite that was switched off for long passes over some.
  const turn = Math.max(
    0,
    chain.findLastIndex(({ activeAt }) => activeAt <= now),
  )
  const retired = chain.slice(0, turn).map((key) => inState(key, 'retired'))
  const [current, ...announced] = chain.slice(turn)
  if (current !== undefined) {
    const active = current.activeAt <= now ? inState(current, 'active') : current
    return [...retired, ...completed([active, ...announced], now, { announcedAt: now, policy })]
  }
  if (ringKeys.length > 0) {
    const activeAt = later(now, policy.visibleMs)
    const first = plannedKey(line, 'announced', { announcedAt: now, activeAt, policy })
    return completed([first], now, { announcedAt: now, policy })
  }
  // Only when the whole ring is empty may a key work at once: no key set without these keys was ever seen, which is as
  // good as having been visible. Backdated, so that a holder whose clock is behind can use the first one at once too.
  const announcedAt = later(now, -policy.visibleMs)
  const activeAt = later(now, -policy.clockToleranceMs)
  return completed([plannedKey(line, 'active', { announcedAt, activeAt, policy })], now, {
    announcedAt,
    policy,
  })
}

/** The keys of a line that are used or will be, in the order of their turns. */
export function lineOf(keys: readonly KeyLife[], { ring, algorithm }: Line): readonly KeyLife[] {
  return keys
    .filter((key) => key.ring === ring && key.algorithm === algorithm)
    .filter(({ state }) => state === 'active' || state === 'announced')
    .toSorted((a, b) => a.activeAt.getTime() - b.activeAt.getTime())
}

/** The moment from which every cache of the key set holds the key. */
export function visibleFrom({ announcedAt }: LineKey, { visibleMs }: RotationPolicy): Date {
  return later(announcedAt, visibleMs)
}

/** Each turn begins when the one before ends, which is not before the next key was visible long enough. */
function linked(keys: readonly KeyLife[], policy: RotationPolicy): readonly KeyLife[] {
  const chain: KeyLife[] = []
  for (const key of keys) {
    const before = chain.pop()
    if (before !== undefined) {
      const switchAt = laterOf(before.retireAt, visibleFrom(key, policy))
      chain.push(usedUntil(before, switchAt, policy), usedFrom(key, switchAt, policy))
    } else chain.push(key)
  }
  return chain
}

interface Announcing {
  readonly announcedAt: Date
  readonly policy: RotationPolicy
}

/**
 * Announces heirs until there are enough. The last key works on until its heir was visible for the whole time, also
 * when its own ran out while no replica was there to rotate.
 */
function completed(
  keys: readonly LineKey[],
  now: Date,
  { announcedAt, policy }: Announcing,
): readonly LineKey[] {
  const chain = [...keys]
  for (;;) {
    const last = chain.at(-1)
    const ahead = chain.filter(({ state }) => state === 'announced').length
    if (last === undefined || ahead >= ANNOUNCED_AHEAD) return chain
    const activeAt = laterOf(last.retireAt, later(now, policy.announceMs))
    chain[chain.length - 1] = usedUntil(last, activeAt, policy)
    chain.push(plannedKey(last, 'announced', { announcedAt, activeAt, policy }))
  }
}

function plannedKey(
  { ring, algorithm }: Line,
  state: 'announced' | 'active',
  { announcedAt, activeAt, policy }: Announcing & { readonly activeAt: Date },
): PlannedKey {
  return { ring, algorithm, state, announcedAt, ...datesFrom(activeAt, policy.rings[ring]) }
}

// Each of these returns the same object when nothing changes, so that a plan detects changes by identity.

function inState(key: KeyLife, state: KeyLife['state']): KeyLife {
  return key.state === state ? key : { ...key, state }
}

function usedUntil<K extends LineKey>(key: K, retireAt: Date, { rings }: RotationPolicy): K {
  return key.retireAt.getTime() === retireAt.getTime() ? key : lengthened(key, retireAt, rings[key.ring])
}

function usedFrom<K extends LineKey>(key: K, activeAt: Date, { rings }: RotationPolicy): K {
  return key.activeAt.getTime() === activeAt.getTime()
    ? key
    : { ...key, ...datesFrom(activeAt, rings[key.ring]) }
}
