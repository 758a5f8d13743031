import type { KeyLife } from './key-life.ts'
import { hasPublicHalf, type KeyState } from './rings.ts'

export interface Transition {
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
