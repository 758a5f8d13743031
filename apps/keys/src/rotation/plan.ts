/**
 * Plans the life of keys: transitions by the calendar (`planRotation`), a switch on demand (`rotateNow`) and an
 * emergency (`revokeNow`). Pure functions of the keys, the policy and the time.
 */

import { RINGS } from '@signet/admin-api/keys-api'
import {
  datesFrom,
  earlierOf,
  hasPublicHalf,
  type KeyLife,
  later,
  laterOf,
  lengthened,
  type PlannedKey,
} from './key-life.ts'
import type { KeyAlgorithm, Ring, RotationPolicy } from './policy.ts'

/** The writes that bring the rings to the state that the policy requires now. */
export interface RotationPlan {
  /** Keys to create. */
  readonly create: readonly PlannedKey[]
  /** Existing keys with their new state or dates. A key that becomes active stands after the key that it replaces. */
  readonly change: readonly KeyLife[]
  /** Ids of keys whose records are to be deleted. */
  readonly forget: readonly string[]
}

/**
 * The life cycle announced → active → retired → removed → verify-only as a function of the keys and the time. A line is
 * the sequence of keys of one ring and algorithm. Every line of the policy has one active key and two announced ones; each
 * key becomes active at the moment at which its predecessor retires. A second plan right after the first is empty.
 */
export function planRotation(keys: readonly KeyLife[], policy: RotationPolicy, now: Date): RotationPlan {
  const wanted = RINGS.flatMap((ring) => {
    const ringKeys = keys.filter((key) => key.ring === ring)
    const { algorithms } = policy.rings[ring]
    const dropped = ringKeys.filter(({ algorithm }) => !algorithms.includes(algorithm))
    return [
      ...dropped.map((key) => outOfUse(key, policy, now)),
      ...algorithms.flatMap((algorithm) => planLine(ringKeys, { ring, algorithm }, policy, now)),
    ]
  })
  const planned = new Map(wanted.flatMap((key) => (isKnown(key) ? [[key.kid, key] as const] : [])))
  const after = keys.map((key) => ended(planned.get(key.kid) ?? key, now))
  return {
    create: wanted.filter((key): key is PlannedKey => !isKnown(key)),
    change: inWritingOrder(after.filter((key, index) => key !== undefined && key !== keys[index])),
    forget: keys.filter((_, index) => after[index] === undefined).map(({ kid }) => kid),
  }
}

/**
 * A key of an algorithm that the instance does not name any more. No application has the algorithm: the active key retires
 * and stays in the key set while its last tokens live. An announced key has signed nothing and leaves it at once.
 */
function outOfUse(key: KeyLife, policy: RotationPolicy, now: Date): KeyLife {
  if (key.state !== 'active' && key.state !== 'announced') return key
  if (key.activeAt > now) return { ...key, state: 'removed', forgetAt: now }
  const ringPolicy = policy.rings[key.ring]
  const retireAt = earlierOf(key.retireAt, now)
  const removeAt = later(retireAt, ringPolicy.keepMs)
  return { ...key, state: 'retired', retireAt, removeAt, forgetAt: later(removeAt, ringPolicy.verifyOnlyMs) }
}

/** The plan after a manual change: `changed` are keys with their new state, and the plan also has the changes that follow. */
function planAfter(
  keys: readonly KeyLife[],
  changed: readonly KeyLife[],
  policy: RotationPolicy,
  now: Date,
): RotationPlan {
  const byKid = new Map(changed.map((key) => [key.kid, key]))
  const plan = planRotation(
    keys.map((key) => byKid.get(key.kid) ?? key),
    policy,
    now,
  )
  for (const key of plan.change) byKid.set(key.kid, key)
  return { ...plan, change: inWritingOrder([...byKid.values()]) }
}

/** Whether a plan contains no change. */
export function isSettled({ create, change, forget }: RotationPlan): boolean {
  return create.length === 0 && change.length === 0 && forget.length === 0
}

function isKnown(key: LineKey): key is KeyLife {
  return 'kid' in key
}

/** The key in its state after its use; undefined when its record is to be deleted. */
function ended(key: KeyLife, now: Date): KeyLife | undefined {
  const isRemoved = key.state === 'removed' || key.state === 'verify-only'
  if (!isRemoved && (key.state !== 'retired' || key.removeAt > now)) return key
  if (key.forgetAt <= now) return undefined
  return isRemoved ? key : { ...key, state: hasPublicHalf(key.ring) ? 'verify-only' : 'removed' }
}

function inWritingOrder(keys: readonly (KeyLife | undefined)[]): readonly KeyLife[] {
  return keys
    .filter((key) => key !== undefined)
    .toSorted((a, b) => Number(a.state === 'active') - Number(b.state === 'active'))
}

/** The active and the announced keys of one ring and algorithm, which follow each other. */
interface Line {
  readonly ring: Ring
  readonly algorithm: KeyAlgorithm
}

/**
 * Two announced keys: after a revocation right after a switch, the next key must be in every cache of the key set. The key that
 * was announced at the switch is in few caches then, so the other one is used.
 */
const ANNOUNCED_AHEAD = 2

/** An existing key, or a key without an id that is to be created. */
type LineKey = KeyLife | PlannedKey

/** Plans the line for now: the keys that have just retired, the active key, and enough announced ones. */
function planLine(
  ringKeys: readonly KeyLife[],
  line: Line,
  policy: RotationPolicy,
  now: Date,
): readonly LineKey[] {
  const chain = linked(lineOf(ringKeys, line), policy)
  // The last key whose time of activation has passed; there may be several after a long stop of the suite.
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
  // A key may be active at once only if the whole ring is empty, because then no verifier has cached a key set without it. Its
  // times are backdated, so that a service whose clock is behind can also use it at once.
  const announcedAt = later(now, -policy.visibleMs)
  const activeAt = later(now, -policy.clockToleranceMs)
  return completed([plannedKey(line, 'active', { announcedAt, activeAt, policy })], now, {
    announcedAt,
    policy,
  })
}

/** The active and announced keys of a line, in the order of their activation. */
function lineOf(keys: readonly KeyLife[], { ring, algorithm }: Line): readonly KeyLife[] {
  return keys
    .filter((key) => key.ring === ring && key.algorithm === algorithm)
    .filter(({ state }) => state === 'active' || state === 'announced')
    .toSorted((a, b) => a.activeAt.getTime() - b.activeAt.getTime())
}

/** The moment from which every cache of the key set holds the key. */
function visibleFrom({ announcedAt }: LineKey, { visibleMs }: RotationPolicy): Date {
  return later(announcedAt, visibleMs)
}

/** Sets each activation to the retirement of the key before, which is delayed until the next key is in every cache. */
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
 * Announces keys until there are enough. The last key stays active until its successor was announced for the whole period, also
 * when the last key should have retired while no replica ran.
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

// Each of these functions returns the same object if it changes nothing, so that a plan detects changes by identity.

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

/**
 * Brings the next switch of each line forward: to now, or to the moment from which the next key is in every cache. The key that
 * retires stays in the key set for services that miss the switch and use their last lease.
 */
export function rotateNow(
  keys: readonly KeyLife[],
  lines: readonly Line[],
  policy: RotationPolicy,
  now: Date,
): RotationPlan {
  const broughtForward = lines.flatMap((line) => bringForward(lineOf(keys, line), policy, now))
  return planAfter(keys, broughtForward, policy, now)
}

function bringForward(
  [active, next]: readonly KeyLife[],
  policy: RotationPolicy,
  now: Date,
): readonly KeyLife[] {
  if (active?.state !== 'active' || next === undefined) return []
  const switchAt = laterOf(now, visibleFrom(next, policy))
  if (switchAt >= active.retireAt) return []
  const ringPolicy = policy.rings[active.ring]
  const lastUse = laterOf(switchAt, earlierOf(active.retireAt, later(now, policy.leaseMs)))
  const removeAt = later(lastUse, ringPolicy.keepMs)
  return [
    { ...active, retireAt: switchAt, removeAt, forgetAt: later(removeAt, ringPolicy.verifyOnlyMs) },
    { ...next, ...datesFrom(switchAt, ringPolicy) },
  ]
}

/**
 * Revokes a key that may be compromised: the key is removed at once and verifies no token any more. If it was active, the next
 * key becomes active at once. The record of the key stays as long as its tokens may be presented. Does not change a key that was
 * revoked before.
 */
export function revokeNow(
  keys: readonly KeyLife[],
  key: KeyLife,
  policy: RotationPolicy,
  now: Date,
): RotationPlan {
  if (key.revokedAt !== undefined) return planAfter(keys, [], policy, now)
  const { keepMs, verifyOnlyMs } = policy.rings[key.ring]
  const revoked: KeyLife = {
    ...key,
    state: 'removed',
    revokedAt: now,
    activeAt: earlierOf(key.activeAt, now),
    retireAt: earlierOf(key.retireAt, now),
    removeAt: earlierOf(key.removeAt, now),
    forgetAt: later(now, Math.max(keepMs, verifyOnlyMs)),
  }
  const successor = key.state === 'active' ? lineOf(keys, key)[1] : undefined
  if (successor === undefined) return planAfter(keys, [revoked], policy, now)
  // Backdated, so that a service whose clock is behind has an active key.
  const activeAt = later(now, -policy.clockToleranceMs)
  const promoted: KeyLife = { ...successor, state: 'active', ...datesFrom(activeAt, policy.rings[key.ring]) }
  return planAfter(keys, [revoked, promoted], policy, now)
}
