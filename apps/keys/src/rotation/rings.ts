import { SIGNING_ALGORITHMS } from '@signet/protocol/signing-algorithms'

/** The purposes of keys; each ring is leased only to the services that need it. */
export const RINGS = ['signing', 'access-seal', 'code-seal', 'refresh-mac', 'origin-mac'] as const
export type Ring = (typeof RINGS)[number]

/** The algorithms of keys in any ring, by their JOSE names (RFC 7518 sections 3.1 and 5.1, RFC 8037 section 3.1). */
export const KEY_ALGORITHMS = [...SIGNING_ALGORITHMS, 'A256GCM', 'HS256'] as const
export type KeyAlgorithm = (typeof KEY_ALGORITHMS)[number]

/** The life of a key, in order. A key without a public half, or one that must not verify, ends at `removed`. */
export type KeyState = 'announced' | 'active' | 'retired' | 'removed' | 'verify-only'

/** Whether keys of the ring have a public half that verifiers outside the suite may hold. */
export function hasPublicHalf(ring: Ring): boolean {
  return ring === 'signing'
}
