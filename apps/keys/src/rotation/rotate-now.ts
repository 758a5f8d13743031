import { datesFrom, earlierOf, type KeyLife, later, laterOf } from './key-life.ts'
import { type Line, lineOf, visibleFrom } from './plan-line.ts'
import { planAfter, type RotationPlan } from './plan-rotation.ts'
import type { RotationPolicy } from './rotation-policy.ts'

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
