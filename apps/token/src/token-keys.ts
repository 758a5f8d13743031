import type { KeyObject } from 'node:crypto'
import { TemporarilyUnavailableError } from '@signet/protocol/errors'
import type { RandomBytes } from '@signet/tokens/identifiers'
import type { KeyLease, SymmetricRing } from '@signet/tokens/keys/key-lease'
import {
  ACCESS_TOKEN_SEAL,
  AUTHORIZATION_CODE_SEAL,
  createOpener,
  createSealer,
  type Opener,
  type RingKey,
  type Sealer,
  type SealPurpose,
} from '@signet/tokens/sealed-token'

/** The used methods of this process's key lease. */
type LeasedKeys = Pick<KeyLease, 'activeKey' | 'keyOf' | 'symmetricKeys' | 'sign'>

/** The keys of this process in the form each use needs. Methods throw TemporarilyUnavailableError while a key is missing. */
export interface TokenKeys {
  accessSealer(): Sealer
  readonly accessOpener: Opener
  codeSealer(): Sealer
  readonly codeOpener: Opener
  /** Proves that an access token was made here. */
  originKey(): KeyObject
  /** Returns the keys that may have made a token that is still valid. */
  originKeys(): readonly KeyObject[]
  /** The key that new refresh families begin with. */
  refreshKey(): RingKey
  refreshKeyOf(kid: string): KeyObject | undefined
  readonly sign: LeasedKeys['sign']
}

export function createTokenKeys(lease: LeasedKeys, random: RandomBytes): TokenKeys {
  const active = (ring: SymmetricRing): RingKey => {
    const key = lease.activeKey(ring)
    if (key !== undefined) return key
    throw new TemporarilyUnavailableError('The service has no keys yet; repeat the call', {
      reason: `no_active_key_${ring.replace('-', '_')}`,
    })
  }
  const sealerOf = (purpose: SealPurpose, ring: SymmetricRing) => {
    let current: { readonly kid: string; readonly sealer: Sealer } | undefined
    return () => {
      const key = active(ring)
      // One subkey for as long as the ring key is active: a new one for each token would derive and forget for nothing.
      if (current?.kid !== key.kid) current = { kid: key.kid, sealer: createSealer(purpose, key, random) }
      return current.sealer
    }
  }
  return {
    accessSealer: sealerOf(ACCESS_TOKEN_SEAL, 'access-seal'),
    accessOpener: createOpener(ACCESS_TOKEN_SEAL, (kid) => lease.keyOf('access-seal', kid)),
    codeSealer: sealerOf(AUTHORIZATION_CODE_SEAL, 'code-seal'),
    codeOpener: createOpener(AUTHORIZATION_CODE_SEAL, (kid) => lease.keyOf('code-seal', kid)),
    originKey: () => active('origin-mac').key,
    originKeys: () => lease.symmetricKeys('origin-mac').map(({ key }) => key),
    refreshKey: () => active('refresh-mac'),
    refreshKeyOf: (kid) => lease.keyOf('refresh-mac', kid),
    sign: (algorithm, typ, claims) => lease.sign(algorithm, typ, claims),
  }
}
