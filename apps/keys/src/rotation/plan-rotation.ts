import type { KeyLife, PlannedKey } from './key-life.ts'
import { type LineKey, planLine } from './plan-line.ts'
import { hasPublicHalf, RINGS } from './rings.ts'
import type { RotationPolicy } from './rotation-policy.ts'

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
export function planAfter(
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
