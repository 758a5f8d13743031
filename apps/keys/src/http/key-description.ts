import type { KeyLife } from '../rotation/key-life.ts'
import { nextTransition } from '../rotation/next-transition.ts'

/** A key as the management API shows it: named members only, none of them secret. */
export function keyDescription(key: KeyLife) {
  const { kid, ring, algorithm, state, revokedAt } = key
  const { at, to } = nextTransition(key)
  return {
    kid,
    ring,
    algorithm,
    state,
    announcedAt: key.announcedAt.toISOString(),
    activeAt: key.activeAt.toISOString(),
    retireAt: key.retireAt.toISOString(),
    removeAt: key.removeAt.toISOString(),
    forgetAt: key.forgetAt.toISOString(),
    ...(revokedAt && { revokedAt: revokedAt.toISOString() }),
    next: { state: to, at: at.toISOString() },
  }
}
