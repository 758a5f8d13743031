import { createHash, randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose'

/** A key of a client and proofs that it makes (RFC 9449), with claims of one's own where a test needs them. */
export interface ProofKey {
  readonly jkt: string
  proof(request: ProofRequest, claims?: Readonly<Record<string, unknown>>): Promise<string>
}

interface ProofRequest {
  readonly method: string
  readonly url: string
  readonly accessToken?: string
}

/** `now` is the clock of the client. */
export async function createProofKey(now: () => Date = () => new Date()): Promise<ProofKey> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = await exportJWK(publicKey)
  return {
    jkt: await calculateJwkThumbprint(jwk),
    proof({ method, url, accessToken }, claims = {}) {
      const ath =
        accessToken === undefined ? {} : { ath: createHash('sha256').update(accessToken).digest('base64url') }
      const iat = Math.floor(now().getTime() / 1000)
      return new SignJWT({ jti: randomUUID(), htm: method, htu: url, iat, ...ath, ...claims })
        .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk })
        .sign(privateKey)
    },
  }
}
