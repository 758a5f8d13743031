import { createPublicKey, type JsonWebKey, type KeyObject, X509Certificate } from 'node:crypto'
import { CLIENT_ASSERTION_ALGORITHMS, JWS_ALGORITHMS, type JwsAlgorithm } from './signing-algorithms.ts'

type Jwk = Readonly<Record<string, unknown>>

/** RFC 7518 section 3.3 has the lower bound; above the upper one each verification costs too much. */
const RSA_BITS = { least: 2048, most: 4096 }
/** Least exponent: with 1 every text is a signature of itself; small exponents make forgeries easier. */
const LEAST_RSA_EXPONENT = 65_537n

// Points whose order divides 8, sign bit cleared: anyone can sign under them (RFC 7748 section 6, RFC 8032 section
// 5.1.7).
const WEAK_ED25519 = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
])

/**
 * A public key as it is registered: its public members with `alg`, `use` and `key_ops` where it has them, or the rule
 * that it breaks, as a predicate.
 */
export function readPublicJwk(jwk: Jwk): { readonly jwk: JsonWebKey } | { readonly problem: string } {
  if (jwk.d !== undefined) return { problem: 'is a private key; register its public half only' }
  let key: KeyObject
  try {
    key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
  } catch {
    return { problem: 'is not a readable public key' }
  }
  const problem = publicKeyProblem(key) ?? purposeProblem(jwk, key) ?? certificateProblem(jwk, key)
  if (problem !== undefined) return { problem }
  const { alg, use, key_ops: operations } = jwk
  const purpose = { alg, use, key_ops: operations } as JsonWebKey
  return { jwk: { ...key.export({ format: 'jwk' }), ...withoutAbsent(purpose) } }
}

/** The same of a PEM text (SubjectPublicKeyInfo or PKCS#1). */
export function readPublicPem(pem: string): ReturnType<typeof readPublicJwk> {
  try {
    return readPublicJwk(createPublicKey(pem).export({ format: 'jwk' }))
  } catch {
    return { problem: 'is not a readable public key' }
  }
}

/** The rule that a key breaks, as a predicate; undefined for one that signatures may be verified with. */
export function publicKeyProblem(key: KeyObject): string | undefined {
  switch (key.asymmetricKeyType) {
    case 'ed25519':
      return isWeakEd25519(key) ? 'is a point of small order, under which anybody can sign' : undefined
    case 'rsa':
      return rsaProblem(key)
    case 'ec':
      return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? undefined : 'must be on the curve P-256'
    default:
      return 'must be an RSA, P-256 or Ed25519 key'
  }
}

/** RFC 8725 section 3.1: whether a registered key verifies signatures of this algorithm. */
export function verifiesWith(jwk: Jwk, alg: JwsAlgorithm): boolean {
  const read = readPublicJwk(jwk)
  if ('problem' in read || (jwk.alg !== undefined && jwk.alg !== alg)) return false
  return keyTypeOf(read.jwk) === JWS_ALGORITHMS[alg].keyType
}

function rsaProblem({ asymmetricKeyDetails }: KeyObject): string | undefined {
  const { modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {}
  if (modulusLength < RSA_BITS.least || modulusLength > RSA_BITS.most) {
    return `must have ${RSA_BITS.least} to ${RSA_BITS.most} bits`
  }
  if (publicExponent < LEAST_RSA_EXPONENT || publicExponent % 2n === 0n) {
    return `must have an odd public exponent of at least ${LEAST_RSA_EXPONENT}`
  }
  return undefined
}

function isWeakEd25519(key: KeyObject): boolean {
  const point = Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url')
  point[31] = (point[31] ?? 0) & 0x7f
  return WEAK_ED25519.has(point.toString('hex'))
}

/** RFC 7517 sections 4.2 to 4.4. */
function purposeProblem({ alg, use, key_ops: operations }: Jwk, key: KeyObject): string | undefined {
  const algorithm = CLIENT_ASSERTION_ALGORITHMS.find((known) => known === alg)
  if (alg !== undefined && (algorithm === undefined || !fits(algorithm, key))) {
    return `has an alg that is not one of ${CLIENT_ASSERTION_ALGORITHMS.join(', ')} or does not fit the key`
  }
  if (use !== undefined && use !== 'sig') return 'has a use other than sig'
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) {
    return 'has key_ops without verify'
  }
  return undefined
}

/** RFC 7517 section 4.7: the first certificate of `x5c` has the key. The certificates are not stored. */
function certificateProblem({ x5c }: Jwk, key: KeyObject): string | undefined {
  if (x5c === undefined) return undefined
  try {
    const [first] = x5c as readonly unknown[]
    if (new X509Certificate(Buffer.from(String(first), 'base64')).publicKey.equals(key)) return undefined
  } catch {
    // It holds no certificate.
  }
  return 'has an x5c whose first certificate is not one of the key'
}

const fits = (alg: JwsAlgorithm, { asymmetricKeyType }: KeyObject) =>
  JWS_ALGORITHMS[alg].keyType === asymmetricKeyType

const keyTypeOf = ({ kty }: JsonWebKey) => (kty === 'RSA' ? 'rsa' : kty === 'EC' ? 'ec' : 'ed25519')

const withoutAbsent = (members: JsonWebKey): JsonWebKey =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
