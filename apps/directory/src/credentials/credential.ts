import type { JsonWebKey } from 'node:crypto'

export interface PersonalAccessToken {
  readonly id: string
  readonly createdAt: Date
  /** Null: it does not expire. */
  readonly expiresAt: Date | null
  /** The administrator roles that it is narrowed to; null: all that its owner holds. */
  readonly roles: readonly string[] | null
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
  readonly keyId: string
  /** PEM: PKCS#1 for RSA, else PKCS#8. */
  readonly key: string
  readonly expirationDate?: string
}

export interface ServiceUserKeyFile extends KeyFile {
  readonly type: 'serviceaccount'
  readonly userId: string
}

export interface ApplicationKeyFile extends KeyFile {
  readonly type: 'application'
  readonly appId: string
  readonly clientId: string
}
