import { createHash, generateKeyPair, type KeyObject, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import type { KeyAlgorithm } from './policy.ts'

/** The public half of a signing key as it is published: public members only (RFC 7517 section 4). */
export interface PublicJwk {
  readonly kty: string
  readonly kid: string
  readonly alg: KeyAlgorithm
  readonly use: 'sig'
  readonly crv?: string | undefined
  readonly x?: string | undefined
  readonly y?: string | undefined
  readonly n?: string | undefined
  readonly e?: string | undefined
}

/** A new key: PKCS #8 DER of a private key or 32 random bytes, and the public half if there is one. */
export interface KeyMaterial {
  readonly kid: string
  readonly secret: Buffer
  readonly publicJwk?: PublicJwk
}

const generate = promisify(generateKeyPair)
const SYMMETRIC_KEY_BYTES = 32
const SYMMETRIC_KID_BYTES = 12

// Key pairs are made on a thread of the pool: an RSA key takes long enough to be noticed by every request.
const MAKERS: Readonly<Record<KeyAlgorithm, () => Promise<KeyMaterial>>> = {
  RS256: async () => signingKey('RS256', await generate('rsa', { modulusLength: 2048 })),
  ES256: async () => signingKey('ES256', await generate('ec', { namedCurve: 'P-256' })),
  EdDSA: async () => signingKey('EdDSA', await generate('ed25519', {})),
  A256GCM: symmetricKey,
  HS256: symmetricKey,
}

/** Makes a key. Signing keys are named by their thumbprint (RFC 7638), symmetric ones at random. */
export function makeKey(algorithm: KeyAlgorithm): Promise<KeyMaterial> {
  return MAKERS[algorithm]()
}

async function symmetricKey(): Promise<KeyMaterial> {
  return {
    kid: randomBytes(SYMMETRIC_KID_BYTES).toString('base64url'),
    secret: randomBytes(SYMMETRIC_KEY_BYTES),
  }
}

function signingKey(
  alg: KeyAlgorithm,
  { privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject },
): KeyMaterial {
  const { kty, crv, x, y, n, e } = publicKey.export({ format: 'jwk' })
  if (kty === undefined) throw new TypeError(`a key for ${alg} has no key type`)
  const members = Object.fromEntries(
    Object.entries({ crv, x, y, n, e }).filter(([, value]) => value !== undefined),
  )
  const kid = thumbprint({ kty, ...members })
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' })
  return { kid, secret, publicJwk: { kty, ...members, kid, alg, use: 'sig' } }
}

/** RFC 7638 section 3: SHA-256 over the required members in lexicographic order, without white space. */
function thumbprint(required: Readonly<Record<string, string>>): string {
  const ordered = Object.fromEntries(Object.entries(required).sort(([a], [b]) => (a < b ? -1 : 1)))
  return createHash('sha256').update(JSON.stringify(ordered)).digest('base64url')
}
