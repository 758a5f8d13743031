/** The settings that an application of a kind needs, as `signet application create <kind>` sets them. */
export const APPLICATION_KINDS = {
  web: {
    type: 'web',
    authMethod: 'client_secret_basic',
    responseTypes: ['code'],
    grantTypes: ['authorization_code', 'refresh_token'],
  },
  browser: {
    type: 'userAgent',
    authMethod: 'none',
    responseTypes: ['code'],
    grantTypes: ['authorization_code', 'refresh_token'],
  },
  native: {
    type: 'native',
    authMethod: 'none',
    responseTypes: ['code'],
    grantTypes: ['authorization_code', 'refresh_token'],
  },
  service: {
    type: 'web',
    authMethod: 'client_secret_basic',
    responseTypes: [],
    grantTypes: ['client_credentials'],
  },
  api: { type: 'api', authMethod: 'client_secret_basic' },
} as const

export type ApplicationKind = keyof typeof APPLICATION_KINDS

/** The fields that an application of a kind needs from the person who creates it. */
export const FIELDS_OF_KIND: Readonly<Record<ApplicationKind, readonly string[]>> = {
  web: ['name', 'projectId', 'redirectUris', 'postLogoutRedirectUris'],
  browser: ['name', 'projectId', 'redirectUris', 'postLogoutRedirectUris', 'allowedOrigins'],
  native: ['name', 'projectId', 'redirectUris'],
  service: ['name', 'projectId'],
  api: ['name', 'projectId'],
}
