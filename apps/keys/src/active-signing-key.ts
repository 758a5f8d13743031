import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { SigningAlgorithm } from '@signet/protocol/signing-algorithms'
import type { SigningKey } from '@signet/tokens/keys/sign-jws'
import type { RingKey } from './rotation/key-rings.ts'

/** Every verifier of JWS knows it. */
const MANIFEST_ALGORITHM = 'RS256'

const parsed = new WeakMap<RingKey, KeyObject>()

/** The active key that signs with an algorithm; undefined while there is none. */
export function activeSigningKey(
  keys: readonly RingKey[],
  alg: SigningAlgorithm,
  now: Date,
): SigningKey | undefined {
  const active = keys.find(
    ({ ring, algorithm, state, secret, activeAt, retireAt }) =>
      ring === 'signing' &&
      algorithm === alg &&
      (state === 'announced' || state === 'active') &&
      secret !== undefined &&
      activeAt <= now &&
      now < retireAt,
  )
  if (active?.secret === undefined) return undefined
  const privateKey =
    parsed.get(active) ?? createPrivateKey({ key: active.secret, format: 'der', type: 'pkcs8' })
  parsed.set(active, privateKey)
  return { kid: active.kid, alg, privateKey }
}

/** The active key that signs manifests of archives and heads of audit logs; undefined while there is none. */
export function manifestKey(keys: readonly RingKey[], now: Date): SigningKey | undefined {
  return activeSigningKey(keys, MANIFEST_ALGORITHM, now)
}
