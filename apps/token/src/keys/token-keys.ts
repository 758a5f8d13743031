import { TemporarilyUnavailableError } from '@signet/oauth-protocol/errors'
import type { SigningAlgorithm } from '@signet/oauth-protocol/signing-algorithms'
import type { RandomBytes } from '@signet/token-format/identifiers'
import {
  ACCESS_TOKEN_SEAL,
  AUTHORIZATION_CODE_SEAL,
  createOpener,
  createSealer,
  type Opener,
  type RingKey,
  type Sealer,
  type SealPurpose,
} from '@signet/token-format/sealed-token'

/** The symmetric rings of which this service holds a lease. */
export type SymmetricRing = 'access-seal' | 'code-seal' | 'refresh-mac' | 'origin-mac'

/** What a lease knows at the moment of the call. */
export interface LeasedKeys {
  /** The key to seal or authenticate with now; undefined while there is none. */
  activeKey(ring: SymmetricRing): RingKey | undefined
  /** A key of the ring that may still have made something valid. */
  keyOf(ring: SymmetricRing, kid: string): Buffer | undefined
  allKeys(ring: SymmetricRing): readonly RingKey[]
  /** A compact JWS (RFC 7515) under the active key of the algorithm, signed off the event loop. */
  sign(algorithm: SigningAlgorithm, typ: string, claims: object): Promise<string>
}

/** The keys of this process in the form each use needs. Methods throw TemporarilyUnavailableError while a key is missing. */
export interface TokenKeys {
  accessSealer(): Sealer
  readonly accessOpener: Opener
  codeSealer(): Sealer
  readonly codeOpener: Opener
  /** Proves that an access token was made here. */
  originKey(): Buffer
  /** The key that new refresh families begin with. */
  refreshKey(): RingKey
  refreshKeyOf(kid: string): Buffer | undefined
  sign: LeasedKeys['sign']
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
    refreshKey: () => active('refresh-mac'),
    refreshKeyOf: (kid) => lease.keyOf('refresh-mac', kid),
    sign: (algorithm, typ, claims) => lease.sign(algorithm, typ, claims),
  }
}
