import { openValue, sealValue } from '@signet/platform/sealing/sealed-value'
import type { RandomBytes } from '@signet/tokens/identifiers'

/** Seals what a job keeps in the database while it runs. */
export interface StagedSealer {
  /** `place` is authenticated: a text sealed for one place opens for no other. */
  seal(plaintext: Buffer, place: string): Buffer
  /** Throws when none of the keys sealed it, or not for this place. */
  open(sealed: Buffer, place: string): Buffer
}

/** Seals under the first key; all of them open. */
export function createStagedSealer(keys: readonly Buffer[], random: RandomBytes): StagedSealer {
  return {
    seal: (plaintext, place) => sealValue(keys, plaintext, place, random),
    open(sealed, place) {
      const plain = openValue(keys, sealed, place)
      if (plain === undefined)
        throw new Error(
          'what was staged is sealed under another SIGNET_MIGRATION_MASTER_KEY, or for another place',
        )
      return plain
    },
  }
}
