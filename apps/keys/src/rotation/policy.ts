// The key rings, their algorithms, and for how long their keys are announced, active and kept.

import type { KEY_ALGORITHMS, RINGS } from '@signet/admin-api/keys-api'
import type { SigningAlgorithm } from '@signet/protocol/signing-algorithms'

export type Ring = (typeof RINGS)[number]

export type KeyAlgorithm = (typeof KEY_ALGORITHMS)[number]

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const DAY = 24 * HOUR

/** How long a verifier may cache the key set. */
export const KEY_SET_MAX_AGE_SECONDS = 300

/** The largest difference between the clocks of services and verifiers with which a rotation works. */
const CLOCK_TOLERANCE_MS = 60 * SECOND
/** The same value as in `@signet/tokens`; a test compares the two. */
const LEASE_MS = 24 * HOUR
const ACCESS_TOKEN_MAX_LIFETIME_MS = 24 * HOUR
const REFRESH_TOKEN_MAX_LIFETIME_MS = 400 * DAY

/** The numbers of one ring, in milliseconds. */
export interface RingPolicy {
  /** Algorithms of the ring, each with an active key and two announced ones. */
  readonly algorithms: readonly KeyAlgorithm[]
  /** How long a key is active. */
  readonly rotateMs: number
  /** How long after the retirement of a key its tokens may still be presented. */
  readonly keepMs: number
  /** How long a public key stays available to services after it left the key set. */
  readonly verifyOnlyMs: number
}

export interface RotationPolicy {
  /** How long a key is visible before it is used in a planned rotation. */
  readonly announceMs: number
  /** How long a key must be visible so that every cache of the key set has it. */
  readonly visibleMs: number
  readonly clockToleranceMs: number
  /** How long a service without a connection may use its last lease. */
  readonly leaseMs: number
  readonly rings: Readonly<Record<Ring, RingPolicy>>
}

const afterTokens = ACCESS_TOKEN_MAX_LIFETIME_MS + CLOCK_TOLERANCE_MS

/** The rotation of the suite. Lifetimes are maxima, so that retirement does not depend on issued tokens. */
export const ROTATION_POLICY: RotationPolicy = {
  announceMs: 24 * HOUR,
  visibleMs: KEY_SET_MAX_AGE_SECONDS * SECOND + CLOCK_TOLERANCE_MS,
  clockToleranceMs: CLOCK_TOLERANCE_MS,
  leaseMs: LEASE_MS,
  rings: {
    // ID tokens, JWT access tokens and logout tokens live 24 h at most; an id_token_hint may be 400 days old.
    signing: {
      // Those of a new instance; `withSigningAlgorithms` has those of this one.
      algorithms: ['RS256', 'ES256'],
      rotateMs: 30 * DAY,
      keepMs: afterTokens,
      verifyOnlyMs: 400 * DAY,
    },
    'access-seal': { algorithms: ['A256GCM'], rotateMs: DAY, keepMs: afterTokens, verifyOnlyMs: 0 },
    // A code is valid for 60 s, but the key is kept while the access token of its redemption may be active: a replay of the
    // code must revoke that token (RFC 6749 section 4.1.2).
    'code-seal': { algorithms: ['A256GCM'], rotateMs: DAY, keepMs: afterTokens, verifyOnlyMs: 0 },
    // A refresh family keeps its first key, so a retired key still makes MACs for old families. With a rotation every thirty
    // days the ring has about fifteen keys; daily rotation would need four hundred.
    'refresh-mac': {
      algorithms: ['HS256'],
      rotateMs: 30 * DAY,
      keepMs: REFRESH_TOKEN_MAX_LIFETIME_MS + CLOCK_TOLERANCE_MS,
      verifyOnlyMs: 0,
    },
    // Authenticates sealed access tokens, so its keys have the lifetimes of access-seal.
    'origin-mac': { algorithms: ['HS256'], rotateMs: DAY, keepMs: afterTokens, verifyOnlyMs: 0 },
  },
}

/** The policy of an instance that names these signing algorithms. */
export function withSigningAlgorithms(
  policy: RotationPolicy,
  algorithms: readonly SigningAlgorithm[],
): RotationPolicy {
  return { ...policy, rings: { ...policy.rings, signing: { ...policy.rings.signing, algorithms } } }
}
