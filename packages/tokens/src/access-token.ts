import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { GrantedDetail } from '@signet/protocol/authorization-details'
import type { Sealer } from './sealed-token.ts'

/** The content of an access token, independent of its format. Times are whole seconds since 1970. */
export interface AccessToken {
  /** `jti` */
  readonly id: string
  readonly subject: string
  /** The application or service user that it was issued to. */
  readonly clientId: string
  readonly audience: readonly string[]
  /** Granted scopes, space-delimited. */
  readonly scope: string
  readonly issuedAt: number
  readonly expiresAt: number
  readonly authTime?: number
  readonly amr?: readonly string[]
  readonly acr?: string
  /** Rich authorization of projects in the audience (RFC 9396). */
  readonly details?: readonly GrantedDetail[]
  /** Claims that userinfo answers beside those of the scopes. */
  readonly userinfoClaims?: readonly string[]
  readonly sid?: string
  readonly grantId?: string
  /** Generation of the database when the token was issued; absent: 0. */
  readonly generation?: number
  /** Present when the subject is a user of the directory. */
  readonly user?: EpochMark
  /** Present when an application stands behind it. */
  readonly client?: EpochMark
  /** Actor for the subject (RFC 8693 section 4.1). */
  readonly act?: Actor
  /** The key that its holder proves at each use; absent for a bearer token. */
  readonly cnf?: Confirmation
  /** The revocation keys of the tokens that this one was exchanged for: it ends with each of them. */
  readonly origins?: readonly RevocationKeys[]
  /** Organizations of the user and of the application. */
  readonly organizations: readonly EpochMark[]
}

/** The confirmation of a bound token (RFC 7800 section 3.1): a key of DPoP proofs, or a certificate of TLS connections. */
export type Confirmation =
  | {
      /** RFC 7638 thumbprint of the key (RFC 9449 section 6.1). */
      readonly jkt: string
      readonly 'x5t#S256'?: never
    }
  | {
      /** Thumbprint of the certificate (RFC 8705 section 3.1). */
      readonly 'x5t#S256': string
      readonly jkt?: never
    }

/** The type of an access token (RFC 6749 section 7.1, RFC 9449 section 5). */
export function tokenTypeOf(cnf: Confirmation | undefined): 'Bearer' | 'DPoP' {
  return cnf?.jkt === undefined ? 'Bearer' : 'DPoP'
}

/** The revocation keys of this access token; `kid` is the key that sealed or signed it. */
export function revocationKeysOf(token: AccessToken, kid: string): RevocationKeys {
  return {
    tokenId: token.id,
    kid,
    organizations: token.organizations,
    ...(token.client !== undefined && { client: token.client }),
    ...(token.generation !== undefined && { generation: token.generation }),
    ...(token.grantId !== undefined && { grantId: token.grantId }),
    ...(token.sid !== undefined && { sid: token.sid }),
    ...(token.user !== undefined && { user: token.user }),
  }
}

const ORIGIN_MAC_BYTES = 16

/** Seals a token; `originKey` proves later that the token service, and not a holder of the sealing ring, made it. */
export function sealAccessToken(token: AccessToken, sealer: Sealer, originKey: KeyObject): string {
  const claims = Buffer.from(JSON.stringify(token), 'utf8')
  return sealer.seal(Buffer.concat([claims, originMac(claims, originKey)]))
}

/** Reads an opened plaintext. The plaintext was authenticated by its seal, so its shape is ours. */
export function readAccessToken(plaintext: Buffer): AccessToken {
  return JSON.parse(plaintext.toString('utf8', 0, plaintext.length - ORIGIN_MAC_BYTES)) as AccessToken
}

/** Whether the token service itself made this plaintext: required wherever a token buys more than an answer. */
export function hasOrigin(plaintext: Buffer, originKeys: readonly KeyObject[]): boolean {
  const claims = plaintext.subarray(0, plaintext.length - ORIGIN_MAC_BYTES)
  const mac = plaintext.subarray(plaintext.length - ORIGIN_MAC_BYTES)
  if (mac.length !== ORIGIN_MAC_BYTES) return false
  return originKeys.some((key) => timingSafeEqual(mac, originMac(claims, key)))
}

function originMac(claims: Buffer, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(claims).digest().subarray(0, ORIGIN_MAC_BYTES)
}

/** Actor for the subject of a token (RFC 8693 section 4.1), and the actor before it. */
export interface Actor {
  readonly iss: string
  readonly sub: string
  readonly act?: Actor
}

/** How many actors one token can name: a chain of exchanges must not let tokens grow without end. */
export const LONGEST_ACTOR_CHAIN = 5

/** The chain with `earlier` at its far end; undefined when neither is there. */
export function joinActors(latest: Actor | undefined, earlier: Actor | undefined): Actor | undefined {
  if (latest === undefined || earlier === undefined) return latest ?? earlier
  return { ...latest, act: joinActors(latest.act, earlier) ?? earlier }
}

export function chainLength(actor: Actor | undefined): number {
  return actor === undefined ? 0 : 1 + chainLength(actor.act)
}

/** An epoch under which something was made: it is dead once a higher one was published for the same id. */
export interface EpochMark {
  readonly id: string
  readonly epoch: number
}

/** Names all endings that revoke a token, a code or a session. Absent members do not apply. */
export interface RevocationKeys {
  readonly tokenId?: string
  /** A personal access token, as `personalTokenId` in `@signet/revocation-reader/endings` names it. */
  readonly personalTokenId?: string
  /** Generation of the database when the token was made (section "Restore" of docs/runbooks); absent: 0. */
  readonly generation?: number
  readonly grantId?: string
  readonly sid?: string
  /** The key that sealed or signed it. */
  readonly kid?: string
  readonly user?: EpochMark
  readonly client?: EpochMark
  readonly organizations: readonly EpochMark[]
}
