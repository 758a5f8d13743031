import { generateKeyPair, type JsonWebKey, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { SigningAlgorithm } from '@signet/protocol/signing-algorithms'

const generate = promisify(generateKeyPair)

interface GeneratedKey {
  readonly publicKeyJwk: JsonWebKey
  readonly privateKeyPem: string
}

const GENERATORS: Readonly<
  Record<SigningAlgorithm, () => Promise<{ publicKey: KeyObject; privateKey: KeyObject }>>
> = {
  RS256: () => generate('rsa', { modulusLength: 2048 }),
  ES256: () => generate('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generate('ed25519'),
}

/** A new pair for an algorithm. Client libraries expect RSA keys as PKCS#1, the others as PKCS#8. */
export async function generateKey(algorithm: SigningAlgorithm): Promise<GeneratedKey> {
  const { publicKey, privateKey } = await GENERATORS[algorithm]()
  const type = algorithm === 'RS256' ? 'pkcs1' : 'pkcs8'
  return {
    publicKeyJwk: { ...publicKey.export({ format: 'jwk' }), alg: algorithm },
    privateKeyPem: privateKey.export({ format: 'pem', type }).toString(),
  }
}
