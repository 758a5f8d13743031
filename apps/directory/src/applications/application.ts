import type { ClientAuthMethod } from '@signet/protocol/client-auth-methods'
import type { GrantType } from '@signet/protocol/grant-types'
import type { ResponseType } from '@signet/protocol/response-types'
import type { SigningAlgorithm } from '@signet/protocol/signing-algorithms'

export const APPLICATION_TYPES = ['web', 'userAgent', 'native', 'api'] as const

export type ApplicationType = (typeof APPLICATION_TYPES)[number]

/** What an administrator says about an application. */
export interface ApplicationSettings {
  readonly clientId: string
  readonly name: string
  readonly state: 'active' | 'inactive'
  readonly type: ApplicationType
  readonly authMethod: ClientAuthMethod
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
  readonly responseTypes: readonly ResponseType[]
  readonly grantTypes: readonly GrantType[]
  readonly accessTokenType: 'bearer' | 'jwt'
  readonly accessTokenSigningAlg: SigningAlgorithm
  readonly idTokenSigningAlg: SigningAlgorithm
  /** Null: the setting of the instance. */
  readonly accessTokenLifetimeSeconds: number | null
  readonly idTokenLifetimeSeconds: number | null
  readonly idTokenUserinfoAssertion: boolean
  readonly accessTokenRoleAssertion: boolean
  readonly idTokenRoleAssertion: boolean
  readonly backChannelLogoutUri: string | null
  readonly allowedOrigins: readonly string[]
  readonly devMode: boolean
  readonly pkceOptional: boolean
  readonly refreshTokensSurviveLogout: boolean
  readonly mayCallApi: boolean
  readonly firstParty: boolean
}

export interface Application extends ApplicationSettings {
  readonly id: string
  readonly projectId: string
  readonly createdAt: Date
}

export type ApplicationChanges = {
  readonly [Setting in keyof ApplicationSettings]?: ApplicationSettings[Setting] | undefined
}
