// RFC 7518 section 3.1, RFC 8037 section 3.1: the parameters of each JWS algorithm, so that no code switches on its
// name.

interface RsaAlgorithm {
  readonly keyType: 'rsa'
  readonly digest: 'sha256'
  readonly padding: 'pkcs1' | 'pss'
  /** RFC 7518 sections 3.3 and 3.5. */
  readonly minimumModulusBits: 2048
}
interface EcAlgorithm {
  readonly keyType: 'ec'
  readonly digest: 'sha256'
  readonly curve: 'P-256'
}
interface EdAlgorithm {
  readonly keyType: 'ed25519'
  /** Ed25519 hashes by itself; node:crypto takes null. */
  readonly digest: null
}

export const JWS_ALGORITHMS = {
  RS256: { keyType: 'rsa', digest: 'sha256', padding: 'pkcs1', minimumModulusBits: 2048 },
  PS256: { keyType: 'rsa', digest: 'sha256', padding: 'pss', minimumModulusBits: 2048 },
  ES256: { keyType: 'ec', digest: 'sha256', curve: 'P-256' },
  EdDSA: { keyType: 'ed25519', digest: null },
} as const satisfies Record<string, RsaAlgorithm | EcAlgorithm | EdAlgorithm>

export type JwsAlgorithm = keyof typeof JWS_ALGORITHMS

/** The algorithms with which Signet signs tokens; each always has an active and an announced key. */
export const SIGNING_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const satisfies readonly JwsAlgorithm[]

export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number]

/** The algorithms with which a client may sign its assertions. */
export const CLIENT_ASSERTION_ALGORITHMS = [
  'RS256',
  'PS256',
  'ES256',
  'EdDSA',
] as const satisfies readonly JwsAlgorithm[]

/** The algorithms of DPoP proofs. Ed25519 is the name of RFC 9864 for what RFC 8037 calls EdDSA. */
export const DPOP_ALGORITHMS = ['ES256', 'PS256', 'EdDSA', 'Ed25519'] as const

export type DpopAlgorithm = (typeof DPOP_ALGORITHMS)[number]

export type ClientAssertionAlgorithm = (typeof CLIENT_ASSERTION_ALGORITHMS)[number]
