/**
 * Plans the life of keys: transitions by the calendar (`planRotation`), a switch on demand (`rotateNow`) and an
 * emergency (`revokeNow`). Pure functions of the keys, the policy and the time.
 */
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
import { type KeyAlgorithm, RINGS, type Ring, type RotationPolicy } from './policy.ts'

/** The writes that bring the rings to the state that the policy wants at one moment. */
export interface RotationPlan {
  /** Keys to make. */
  readonly create: readonly PlannedKey[]
  /** Known keys with a new state or new dates, as they shall be; a key leaves a state before its heir enters it. */
  readonly change: readonly KeyLife[]
  /** Ids of keys whose record shall be deleted. */
  readonly forget: readonly string[]
}

/**
 * The life cycle announced → active → retired → removed → verify-only as a function of the keys and the time. Every
 * line (ring and algorithm) has one active key and two announced ones whose times meet: each becomes active at the
 * moment at which its predecessor retires. A second plan right after the first is empty.
 */
export function planRotation(keys: readonly KeyLife[], policy: RotationPolicy, now: Date): RotationPlan {
  const wanted = RINGS.flatMap((ring) => {
    const ringKeys = keys.filter((key) => key.ring === ring)
    return policy.rings[ring].algorithms.flatMap((algorithm) =>
      planLine(ringKeys, { ring, algorithm }, policy, now),
    )
  })
  const planned = new Map(wanted.flatMap((key) => (isKnown(key) ? [[key.kid, key] as const] : [])))
  const after = keys.map((key) => ended(planned.get(key.kid) ?? key, now))
  return {
    create: wanted.filter((key): key is PlannedKey => !isKnown(key)),
    change: inWritingOrder(after.filter((key, index) => key !== undefined && key !== keys[index])),
    forget: keys.filter((_, index) => after[index] === undefined).map(({ kid }) => kid),
  }
}

/** The plan after a manual change: `changed` as they shall be, and all that follows from them. */
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

/** The state of a key after its use; undefined when its record shall be deleted. */
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

/** One key after the other of a ring and an algorithm: the active one and those that are announced. */
interface Line {
  readonly ring: Ring
  readonly algorithm: KeyAlgorithm
}

/**
 * The next key and one behind it: an emergency right after a switch must find a key that every cache of the key set
 * holds, and the key that was announced at the switch is in few of them yet.
 */
const ANNOUNCED_AHEAD = 2

/** A key that is known, or one without an id that has to be made. */
type LineKey = KeyLife | PlannedKey

/** The line as it shall be now: the key that has just retired, the active key, and enough announced ones. */
function planLine(
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

/**
 * Brings the next switch of each line forward: to now, or to the moment at which the next key was visible long
 * enough. The key that retires stays in the key set for holders that miss the switch and go on with their lease.
 */
export function rotateNow(
  keys: readonly KeyLife[],
  lines: readonly Line[],
  policy: RotationPolicy,
  now: Date,
): RotationPlan {
  const hastened = lines.flatMap((line) => hasten(lineOf(keys, line), policy, now))
  return planAfter(keys, hastened, policy, now)
}

function hasten([active, next]: readonly KeyLife[], policy: RotationPolicy, now: Date): readonly KeyLife[] {
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
 * Revokes a key that may be compromised: it is removed at once and never verified with again, and if it was the
 * active one the next key takes its place at once. Its record stays for as long as tokens made with it may appear. A
 * key that was revoked before is left as it is.
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
  const heir = key.state === 'active' ? lineOf(keys, key)[1] : undefined
  if (heir === undefined) return planAfter(keys, [revoked], policy, now)
  // Backdated, so that a holder whose clock is behind ours is not left without a key.
  const activeAt = later(now, -policy.clockToleranceMs)
  const promoted: KeyLife = { ...heir, state: 'active', ...datesFrom(activeAt, policy.rings[key.ring]) }
  return planAfter(keys, [revoked, promoted], policy, now)
}
