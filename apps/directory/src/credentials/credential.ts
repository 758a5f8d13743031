import type { JsonWebKey } from 'node:crypto'

export interface PersonalAccessToken {
  readonly id: string
  readonly createdAt: Date
  /** Null: it does not expire. */
  readonly expiresAt: Date | null
  /** The administrator roles that it is narrowed to; null: all that its owner holds. */
  readonly roles: readonly string[] | null
}

/** A public key; the holder of the private key signs assertions (RFC 7523) that name it as `kid`. */
export interface RegisteredKey {
  readonly id: string
  readonly publicKeyJwk: JsonWebKey
  readonly createdAt: Date
  /** Null: it does not expire. */
  readonly expiresAt: Date | null
}

/** The format that client libraries read; the private key is in one response and is not stored. */
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
