import type { GrantType } from '@signet/protocol/grant-types'

/** What this service needs to know of an application. */
export interface Client {
  readonly clientId: string
  readonly name: string
  readonly projectId: string | null
  readonly organizationId: string
  readonly isNative: boolean
  readonly isPublic: boolean
  readonly pkceOptional: boolean
  /** An IAM_OWNER has decided that people are not asked whether they allow it what it wants. */
  readonly firstParty: boolean
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
  readonly responseTypes: readonly string[]
  readonly grantTypes: readonly (GrantType | string)[]
}

/** Finds active applications; undefined for an unknown or inactive one. */
export type FindClient = (clientId: string) => Promise<Client | undefined>
