import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { AccessTokenType } from '@signet/directory-reader/views'
import type { GrantedDetail } from '@signet/protocol/authorization-details'
import type { Actor, EpochMark, RevocationKeys } from '@signet/tokens/access-token'

/** The permission that a user gave to an application in one browser session. */
export interface Grant {
  readonly grantId: string
  readonly clientId: string
  readonly client: EpochMark
  readonly clientOrganization: EpochMark
  readonly user: EpochMark
  readonly userOrganization: EpochMark
  /** Absent for a grant that a token exchange began. */
  readonly sid?: string
  readonly scopes: readonly string[]
  readonly authTime?: Date
  readonly amr: readonly string[]
  readonly acr?: string
  /** Claims that were asked for by name, beside those of the scopes. */
  readonly userinfoClaims: readonly string[]
  readonly idTokenClaims: readonly string[]
  /** Rich authorization of the projects in the audience. */
  readonly details?: readonly GrantedDetail[]
  readonly exchange?: Exchange
  /** Generation of the database at the authorization: the grant is dead where the database has a higher one. */
  readonly generation: number
  /** The key that authenticates this family's refresh tokens; absent when it has none. */
  readonly refreshKid?: string
}

/** The values that a token exchange adds to its grant (RFC 8693). */
export interface Exchange {
  readonly act?: Actor
  /** The revocation keys of the exchanged tokens. */
  readonly origins: readonly RevocationKeys[]
  readonly audience: readonly string[]
  readonly accessTokenType: AccessTokenType
}

/** The access of an application to the account of a person, as something proved it at a time. */
export interface Access {
  readonly userId: string
  readonly clientId: string
  /** The access is over when the person ended it later. */
  readonly provenAt: Date
}

export interface NewGrant extends Grant {
  /** The key that each refresh must prove, as `confirmationText` writes it. */
  readonly boundTo?: string
  /** When its session, if it has one, ends at the latest: until then the application hears of its end. */
  readonly sessionEnd?: Date
  readonly createdAt: Date
  readonly idleEnd: Date
  readonly absoluteEnd: Date
}

export interface Redemption {
  readonly codeId: string
  /** Day of issue of the code, counted from 1970. */
  readonly day: number
  /** Audience of its tokens: each project in it must admit the user. */
  readonly audience: readonly string[]
}

export type RedeemResult =
  | { readonly outcome: 'redeemed' }
  /** The code was redeemed before; its grant may be ended. */
  | { readonly outcome: 'replayed'; readonly grantId: string }
  /** The session, user, application or organization behind the code has ended. */
  | { readonly outcome: 'ended' }

/** A refresh token that is presented; `counter` counts the rotations of its family before it. */
export interface Rotation {
  readonly grantId: string
  readonly clientId: string
  readonly refreshKid: string
  readonly counter: number
  /** The key that the caller has proven, which a bound family must name; null without one. */
  readonly provenKey: string | null
  /** A family that is not bound is from now on, to that key. */
  readonly binds: boolean
  /** The family gets its next token. Without, the call moves the idle end and the presented token stays current. */
  readonly rotates: boolean
  /** The audience of the family was checked. Without the check a family whose scopes name projects is `refused`. */
  readonly isAudienceChecked: boolean
}

export type RotateResult =
  | { readonly outcome: 'rotated'; readonly grant: Grant; readonly counter: number }
  /**
   * The predecessor was presented again within the retry window, and the current token of the family, which `counter` counts,
   * never was.
   */
  | { readonly outcome: 'repeated'; readonly grant: Grant; readonly counter: number }
  /** An older token was presented, so it has been copied. */
  | {
      readonly outcome: 'reused'
      readonly grantId: string
      readonly userId: string
      /** Organization of the user. */
      readonly organizationId: string
    }
  /** No such family of this client, or it has ended. */
  | { readonly outcome: 'refused' }

export interface FoundGrant {
  readonly clientId: string
  readonly userId: string
  /** Organization of the user. */
  readonly organizationId: string
  readonly scopes: readonly string[]
  /** Audience of an exchanged grant; null where the scopes name it. */
  readonly audience: readonly string[] | null
  readonly details: readonly GrantedDetail[] | null
  readonly hasRefresh: boolean
  /** The key that each refresh must prove. */
  readonly boundTo: string | null
  readonly absoluteEnd: Date
}

/** The scopes of all grants that a user gave one application. */
export interface ApplicationGrant {
  readonly clientId: string
  readonly scopes: readonly string[]
  /** Whether one of them rests on an identity assertion of another issuer. */
  readonly byAssertion: boolean
}

export interface GrantStore {
  /** Redeems a code. Exactly one of any number of calls gets `redeemed`, and its grant and events exist then. */
  redeem(redemption: Redemption, grant: NewGrant, events?: readonly AuditEvent[]): Promise<RedeemResult>
  /**
   * Records a grant that no code stands for, with its events; neither when what it rests on has ended: `ended_by_person` when a person
   * ended one of `accesses`, else `ended`.
   */
  begin(
    grant: NewGrant,
    events?: readonly AuditEvent[],
    accesses?: readonly Access[],
  ): Promise<'begun' | 'ended' | 'ended_by_person'>
  /**
   * Rotates a family from `counter` to `counter + 1`. Of any number of calls for one counter exactly one gets
   * `rotated`, and sets the idle end. Without `rotates` each of them gets `rotated`, with `counter`. Times are those of the
   * database.
   */
  rotate(rotation: Rotation, windows: { idleMs: number; retryMs: number }): Promise<RotateResult>
  find(grantId: string): Promise<FoundGrant | undefined>
  /** Whether the application has a grant of the session that nothing ended. */
  isHeld(
    holder: { readonly sid: string; readonly userId: string; readonly clientId: string },
    now: Date,
  ): Promise<boolean>
  /** The grants of a user by application, ordered by application. */
  ofUser(userId: string, now: Date): Promise<readonly ApplicationGrant[]>
}
