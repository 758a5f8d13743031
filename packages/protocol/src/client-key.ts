// Private keys by which Signet authenticates as a client of identity providers (private_key_jwt, OpenID Connect Core section 9).

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { readPublicJwk } from './public-key.ts'
import type { ClientAssertionAlgorithm } from './signing-algorithms.ts'

/** A private key with the algorithm that it signs with, and its public half as a provider registers it. */
export interface ClientKey {
  readonly alg: ClientAssertionAlgorithm
  readonly kid: string
  readonly key: KeyObject
  readonly publicJwk: Readonly<Record<string, string>>
}

const ALGORITHM_OF_TYPE: Readonly<Record<string, ClientAssertionAlgorithm>> = {
  ...{ RSA: 'RS256', EC: 'ES256', OKP: 'EdDSA' },
}
const KID = /^[\x21-\x7e]{1,200}$/

/**
 * Reads a private key of RSA, P-256 or Ed25519: a JWK (RFC 7517) or PEM without encryption. `alg` of a JWK may be PS256, and its `kid` is
 * kept; other keys are named by their thumbprint (RFC 7638). A key that is not usable answers the rule that it breaks, as a predicate.
 */
export function readClientKey(text: string): ClientKey | { readonly problem: string } {
  const given = privateJwk(text)
  if (given === undefined) return { problem: 'must be a private key: a JWK, or PEM without encryption' }
  const { kid, alg, use, key_ops: operations } = given
  if (kid !== undefined && !(typeof kid === 'string' && KID.test(kid)))
    return { problem: 'must be a JWK whose kid has 1 to 200 printable characters' }
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('sign')))
    return { problem: 'must be a JWK that has sign in key_ops, or none' }
  let key: KeyObject
  try {
    key = createPrivateKey({ key: given as JsonWebKey, format: 'jwk' })
  } catch {
    return { problem: 'must be a readable private key of RSA, P-256 or Ed25519' }
  }
  const members = createPublicKey(key).export({ format: 'jwk' })
  const read = readPublicJwk({ ...members, ...present({ alg, use }) })
  if ('problem' in read) return { problem: `must be another key: it ${read.problem}` }
  const algorithm = (alg as ClientAssertionAlgorithm | undefined) ?? ALGORITHM_OF_TYPE[members.kty ?? '']
  if (algorithm === undefined) return { problem: 'must be a key of RSA, P-256 or Ed25519' }
  if (!isPair(key)) return { problem: 'must be a JWK whose public members are those of the private key' }
  const required = present(members)
  const name = typeof kid === 'string' ? kid : thumbprint(required)
  return {
    ...{ alg: algorithm, kid: name, key },
    publicJwk: { ...required, kid: name, alg: algorithm, use: 'sig' },
  }
}

/** Whether a text is a private key of any kind, which is never sent as a secret. */
export const isPrivateKey = (text: string): boolean =>
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text) || privateJwk(text) !== undefined

/** Whether the public half of a key verifies its signatures: the members of a JWK may be those of two keys. */
function isPair(key: KeyObject): boolean {
  const data = Buffer.from('pair')
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
  try {
    return verify(digest, data, createPublicKey(key), sign(digest, data, key))
  } catch {
    return false
  }
}

type Json = Readonly<Record<string, unknown>>

const PEM =
  /^\s*-----BEGIN (PRIVATE|EC PRIVATE|RSA PRIVATE) KEY-----([A-Za-z0-9+/=\s]+)-----END \1 KEY-----\s*$/
const PEM_TYPES: Readonly<Record<string, 'pkcs8' | 'sec1' | 'pkcs1'>> = {
  ...{ PRIVATE: 'pkcs8', 'EC PRIVATE': 'sec1', 'RSA PRIVATE': 'pkcs1' },
}

/** The members of a private key; undefined for a text that is none. The lines of a PEM text may have been joined. */
function privateJwk(text: string): Json | undefined {
  try {
    const [, label = '', base64 = ''] = PEM.exec(text) ?? []
    const type = PEM_TYPES[label]
    if (type !== undefined) {
      const key = createPrivateKey({ key: Buffer.from(base64, 'base64'), format: 'der', type })
      return key.export({ format: 'jwk' }) as Json
    }
    const json: unknown = JSON.parse(text)
    if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined
    return Object.hasOwn(json, 'd') ? (json as Json) : undefined
  } catch {
    return undefined
  }
}

/** RFC 7638 section 3: SHA-256 over the required members in lexicographic order, without white space. */
function thumbprint(required: Readonly<Record<string, string>>): string {
  const ordered = Object.fromEntries(Object.entries(required).sort(([a], [b]) => (a < b ? -1 : 1)))
  return createHash('sha256').update(JSON.stringify(ordered)).digest('base64url')
}

const present = (members: object) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >
