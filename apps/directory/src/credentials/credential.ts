import type { JsonWebKey } from 'node:crypto'

export interface PersonalAccessToken {
  readonly id: string
  readonly createdAt: Date
  /** Null: it does not expire. */
  readonly expiresAt: Date | null
}

/** A public key; whoever has the private half signs assertions (RFC 7523) that name it as `kid`. */
export interface RegisteredKey {
  readonly id: string
  readonly publicKeyJwk: JsonWebKey
  readonly createdAt: Date
  /** Null: it does not expire. */
  readonly expiresAt: Date | null
}

/** What a client library reads; the private key is answered once and stored nowhere. */
export interface KeyFile {
  readonly type: 'serviceaccount'
  readonly keyId: string
  /** PEM: PKCS#1 for RSA, else PKCS#8. */
  readonly key: string
  readonly userId: string
  readonly expirationDate?: string
}
