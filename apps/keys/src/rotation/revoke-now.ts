import { datesFrom, earlierOf, type KeyLife, later } from './key-life.ts'
import { lineOf } from './plan-line.ts'
import { planAfter, type RotationPlan } from './plan-rotation.ts'
import type { RotationPolicy } from './rotation-policy.ts'

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
