import type { RegisteredKey } from '@signet/directory-reader/views'
import type { GrantType } from '@signet/protocol/grant-types'
import type { PortRule } from '@signet/protocol/redirect-uri'
import type { ClientAssertionAlgorithm, SigningAlgorithm } from '@signet/protocol/signing-algorithms'

/** The settings of an application that this service uses. */
export interface Client {
  readonly clientId: string
  readonly name: string
  readonly projectId: string | null
  readonly organizationId: string
  readonly portRule: PortRule
  /** Error pages show the values that a refusal compared. */
  readonly devMode: boolean
  /** Whether its authorization requests for a code must send a code challenge (RFC 9700 section 2.1.1). */
  readonly requiresPkce: boolean
  /** Whether its authorization requests have to be pushed (RFC 9126 section 5). */
  readonly requiresPush: boolean
  /** Whether its authorization requests have to be signed request objects. */
  readonly requiresSignedRequests: boolean
  /** Whether it takes signed authorization responses only. */
  readonly requiresSignedResponses: boolean
  /** Every access token needs the key of a DPoP proof, which the authorization endpoint does not ask for. */
  readonly bindsAccessTokens: boolean
  /** Set by an IAM_OWNER: users are not asked for consent. */
  readonly firstParty: boolean
  /** Host of the document of a client that no organization registered; undefined for an application. */
  readonly documentHost?: string | undefined
  /** Whether it authenticates by private_key_jwt. */
  readonly signsAssertions?: boolean
  /** Whether it registered itself (RFC 7591): it belongs to no organization of a user when consent is asked. */
  readonly isRegistered?: boolean
  /** Whether it gets no access, so that there is nothing to consent to: `prompt=consent` has no effect. */
  readonly neverAsksConsent?: true
  /** The public keys that it signs request objects with. */
  readonly keys: readonly RegisteredKey[]
  readonly signatureAlgorithms: readonly ClientAssertionAlgorithm[]
  /** The algorithm of its ID tokens, and of responses that are signed for it. */
  readonly idTokenSigningAlg: SigningAlgorithm
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
  /** URL to which pages lead people; undefined for an application that names no page. */
  readonly start?: string | undefined
  readonly responseTypes: readonly string[]
  readonly grantTypes: readonly (GrantType | string)[]
}

/** Returns undefined for an unknown or inactive application. */
export type FindClient = (clientId: string) => Promise<Client | undefined>
