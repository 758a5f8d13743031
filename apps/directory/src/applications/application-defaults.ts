import type { ApplicationSettings, ApplicationType } from '@signet/protocol/application-settings'
import { GRANT_TYPES } from '@signet/protocol/grant-types'

type Defaulted = Pick<ApplicationSettings, 'authMethod' | 'responseTypes' | 'grantTypes'>

const CODE_FLOW = {
  responseTypes: ['code'],
  grantTypes: [GRANT_TYPES.authorizationCode, GRANT_TYPES.refreshToken],
} as const

/** Defaults of an application by its type, docs/spec 6.8. */
export const APPLICATION_DEFAULTS: Readonly<Record<ApplicationType, Defaulted>> = {
  web: { ...CODE_FLOW, authMethod: 'client_secret_basic' },
  userAgent: { ...CODE_FLOW, authMethod: 'none' },
  native: { ...CODE_FLOW, authMethod: 'none' },
  api: { responseTypes: [], grantTypes: [], authMethod: 'client_secret_basic' },
}
