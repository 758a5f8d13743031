import type { Account, Client } from '@signet/directory-reader/views'
import type { GrantedDetail } from '@signet/protocol/authorization-details'
import { InvalidClientError } from '@signet/protocol/errors'
import { TLS_AUTH_METHODS } from '@signet/protocol/grant-types'
import { formatScopeString } from '@signet/protocol/scopes'
import { type Confirmation, tokenTypeOf } from '@signet/tokens/access-token'
import { authorizationDetails } from '@signet/tokens/access-token-reader'
import { z } from 'zod'
import {
  type AccessTokenRequest,
  type IssuanceDeps,
  issueAccessToken,
  tokenFormOf,
} from '../issuance/access-token.ts'
import { accessTokenOfServiceUser, tokenFormOfServiceUser } from '../issuance/issue-tokens.ts'
import { requireNamed } from '../issuance/scopes.ts'
import { grant } from './grant.ts'

const params = z.object({
  scope: z.string().optional(),
  resource: z.string().optional(),
  authorization_details: z.string().optional(),
})

/** RFC 6749 section 4.4, for service users and for applications that can keep a secret. Nothing is stored. */
export const clientCredentialsGrant = (deps: IssuanceDeps) =>
  grant({
    params,
    methods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', ...TLS_AUTH_METHODS],
    async handle({ client, params, now, cnf }) {
      const { directory } = deps
      const account = client.userId === null ? undefined : await directory.account(client.userId)
      const organization = await organizationOf(deps, client)
      const { scopes, audience, details } = await requireNamed(deps, client, params, organization)
      const settings = await directory.settings()
      const request =
        client.kind === 'service_user'
          ? accessTokenOfServiceUser(requireActive(account), {
              clientId: client.clientId,
              form: tokenFormOfServiceUser(client, settings),
              scopes,
              audience,
              ...{ details, cnf },
            })
          : accessTokenOfApplication(client, {
              form: tokenFormOf(client, settings),
              scopes,
              audience,
              details,
              cnf,
            })
      const accessToken = await issueAccessToken(deps, request, now)
      return {
        access_token: accessToken.value,
        token_type: tokenTypeOf(cnf),
        expires_in: accessToken.expiresInSeconds,
        scope: formatScopeString(scopes),
        ...authorizationDetails(details),
      }
    },
  })

/** The application is its own subject; no user stands behind the token. */
function accessTokenOfApplication(
  client: Client,
  {
    form,
    scopes,
    audience,
    details,
    cnf,
  }: {
    readonly form: AccessTokenRequest['form']
    readonly scopes: readonly string[]
    readonly audience: readonly string[]
    readonly details: readonly GrantedDetail[]
    readonly cnf: Confirmation | undefined
  },
): AccessTokenRequest {
  return {
    form,
    token: {
      subject: client.clientId,
      clientId: client.clientId,
      audience,
      scope: formatScopeString(scopes),
      ...(details.length > 0 && { details }),
      ...(cnf !== undefined && { cnf }),
      client: { id: client.clientId, epoch: client.tokenEpoch },
      organizations: [{ id: client.organizationId, epoch: client.organizationTokenEpoch }],
    },
  }
}

async function organizationOf({ directory }: IssuanceDeps, { organizationId }: Client) {
  const primaryDomain = (await directory.organization(organizationId))?.primaryDomain ?? ''
  return { organizationId, primaryDomain }
}

/** Refuses an ended service user: when it ends between two reads, its client is active a moment longer than itself. */
function requireActive(account: Account | undefined): Account {
  if (account?.active) return account
  throw new InvalidClientError('the service user is not active', {
    reason: 'account_not_active',
    basicTried: false,
  })
}
