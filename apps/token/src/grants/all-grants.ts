import { GRANT_TYPES } from '@signet/protocol/grant-types'
import { authorizationCodeGrant } from './authorization-code-grant.ts'
import { clientCredentialsGrant } from './client-credentials-grant.ts'
import type { Grant } from './grant.ts'
import { jwtBearerGrant } from './jwt-bearer-grant.ts'
import { refreshTokenGrant } from './refresh-token-grant.ts'
import { tokenExchangeGrant } from './token-exchange-grant.ts'

type GrantDeps = Parameters<typeof authorizationCodeGrant>[0] &
  Parameters<typeof refreshTokenGrant>[0] &
  Parameters<typeof clientCredentialsGrant>[0] &
  Parameters<typeof jwtBearerGrant>[0] &
  Parameters<typeof tokenExchangeGrant>[0]

/** Every grant type of the token endpoint. */
export const createGrants = (deps: GrantDeps): ReadonlyMap<string, Grant> =>
  new Map<string, Grant>([
    [GRANT_TYPES.authorizationCode, authorizationCodeGrant(deps)],
    [GRANT_TYPES.refreshToken, refreshTokenGrant(deps)],
    [GRANT_TYPES.clientCredentials, clientCredentialsGrant(deps)],
    [GRANT_TYPES.jwtBearer, jwtBearerGrant(deps)],
    [GRANT_TYPES.tokenExchange, tokenExchangeGrant(deps)],
  ])
