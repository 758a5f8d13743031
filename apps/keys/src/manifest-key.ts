import { createPrivateKey } from 'node:crypto'
import type { SigningKey } from '@signet/tokens/keys/sign-jws'
import type { RingKey } from './rotation/key-rings.ts'

/** Every verifier of JWS knows it. */
const MANIFEST_ALGORITHM = 'RS256'

/** The active key that signs manifests of archives and heads of audit logs; undefined while there is none. */
export function manifestKey(keys: readonly RingKey[], now: Date): SigningKey | undefined {
  const active = keys.find(
    ({ ring, algorithm, state, secret, activeAt, retireAt }) =>
      ring === 'signing' &&
      algorithm === MANIFEST_ALGORITHM &&
      (state === 'announced' || state === 'active') &&
      secret !== undefined &&
      activeAt <= now &&
      now < retireAt,
  )
  if (active?.secret === undefined) return undefined
  const privateKey = createPrivateKey({ key: active.secret, format: 'der', type: 'pkcs8' })
  return { kid: active.kid, alg: MANIFEST_ALGORITHM, privateKey }
}
