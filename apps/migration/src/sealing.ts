import { keyId, openValue, sealValue } from '@signet/platform/sealing/sealed-value'
import type { RandomBytes } from '@signet/tokens/identifiers'

/** The value was sealed under a key that is not in the setting. */
export class MasterKeyUnknownError extends Error {
  override readonly name = 'MasterKeyUnknownError'
  readonly setting: 'SIGNET_MIGRATION_MASTER_KEY' | 'SIGNET_DIRECTORY_MASTER_KEY'

  constructor(setting: MasterKeyUnknownError['setting'], options?: ErrorOptions) {
    super(`sealed under a key that ${setting} does not list`, options)
    this.setting = setting
  }
}

/** Seals the values that a job stores in the database while it runs. */
export interface StagedSealer {
  /** `place` is authenticated: a text sealed for one place opens for no other. */
  seal(plaintext: Buffer, place: string): Buffer
  /** Throws MasterKeyUnknownError when none of the keys sealed it, another error when it was sealed for another place. */
  open(sealed: Buffer, place: string): Buffer
}

/** Seals under the first key; all of them open. */
export function createStagedSealer(keys: readonly Buffer[], random: RandomBytes): StagedSealer {
  return {
    seal: (plaintext, place) => sealValue(keys, plaintext, place, random),
    open(sealed, place) {
      const plain = openValue(keys, sealed, place)
      if (plain !== undefined) return plain
      const isListed = keys.some((key) => keyId(key).equals(sealed.subarray(1, 5)))
      throw isListed
        ? new Error(`a staged value does not open as ${place}: it was sealed for another place or altered`)
        : new MasterKeyUnknownError('SIGNET_MIGRATION_MASTER_KEY')
    },
  }
}
