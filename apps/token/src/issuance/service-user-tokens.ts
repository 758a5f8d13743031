import type { Account, InstanceSettings, ServiceUser } from '@signet/directory-reader/views'
import { formatScopeString } from '@signet/protocol/scopes'
import type { AccessTokenRequest } from './access-token.ts'
import type { TokenForm } from './token-form.ts'

/** A service user has no wishes but the form of its access tokens. */
export function tokenFormOfServiceUser(
  serviceUser: Pick<ServiceUser, 'accessTokenType' | 'accessTokenSigningAlg'>,
  settings: InstanceSettings,
): TokenForm {
  return {
    projectId: null,
    accessTokenType: serviceUser.accessTokenType,
    accessTokenSigningAlg: serviceUser.accessTokenSigningAlg,
    accessTokenRoleAssertion: false,
    accessTokenLifetimeSeconds: settings.accessTokenLifetimeSeconds,
    idTokenSigningAlg: 'RS256',
    idTokenUserinfoAssertion: false,
    idTokenRoleAssertion: false,
    idTokenLifetimeSeconds: settings.idTokenLifetimeSeconds,
  }
}

/** The access token of a service user that acts for itself. It dies with its user; there is no application behind it. */
export function accessTokenOfServiceUser(
  account: Account,
  request: {
    readonly clientId: string
    readonly form: TokenForm
    readonly scopes: readonly string[]
    readonly audience: readonly string[]
  },
): AccessTokenRequest {
  return {
    form: request.form,
    account,
    token: {
      subject: account.userId,
      clientId: request.clientId,
      audience: request.audience,
      scope: formatScopeString(request.scopes),
      user: { id: account.userId, epoch: account.tokenEpoch },
      organizations: [{ id: account.organizationId, epoch: account.organizationTokenEpoch }],
    },
  }
}
