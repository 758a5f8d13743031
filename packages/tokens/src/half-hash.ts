import { createHash } from 'node:crypto'

const DIGESTS: Readonly<Record<string, string>> = { RS256: 'sha256', ES256: 'sha256', EdDSA: 'sha512' }

/** `at_hash` or `c_hash` (OIDC Core section 3.1.3.6): the left half of the digest that belongs to the signing algorithm. */
export function halfHash(value: string, signingAlgorithm: string): string {
  const digestName = DIGESTS[signingAlgorithm]
  if (digestName === undefined) throw new Error(`no digest is defined for ${signingAlgorithm}`)
  const digest = createHash(digestName).update(value, 'ascii').digest()
  return digest.subarray(0, digest.length / 2).toString('base64url')
}
