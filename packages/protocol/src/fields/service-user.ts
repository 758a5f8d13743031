import type { Fields } from './field.ts'

/**
 * The fields of a service user in `directory.service_user`. The management API, the bootstrap file, the export format, imports,
 * exports and undo derive from this table; `directory_read.service_user_v1` shows them to the token service.
 */
export const SERVICE_USER_FIELDS = {
  /** Client id, by default the user name, where that is free. */
  clientId: { kind: 'clientId', column: 'client_id' },
  /** Acts where access tokens are made; so does the next one. */
  accessTokenType: { kind: 'tokenType', column: 'access_token_type', default: 'bearer' },
  accessTokenSigningAlg: { kind: 'signingAlg', column: 'access_token_signing_alg', default: 'RS256' },
} as const satisfies Fields
