import { AssertionRefusal, claimedSigner, verifySignedAssertion } from '@signet/client-auth/signed-assertion'
import type { Account, ServiceUser } from '@signet/directory-reader/views'
import { InvalidGrantError } from '@signet/protocol/errors'
import { formatScopeString } from '@signet/protocol/scopes'
import { tokenTypeOf } from '@signet/tokens/access-token'
import { z } from 'zod'
import { type IssuanceDeps, issueAccessToken } from '../issuance/access-token.ts'
import { issueIdToken } from '../issuance/id-token.ts'
import { accessTokenOfServiceUser, tokenFormOfServiceUser } from '../issuance/issue-tokens.ts'
import { audienceOf, requireScopes, withoutRefresh } from '../issuance/scopes.ts'
import { assertionGrant } from './grant.ts'

interface Deps extends IssuanceDeps {
  /** Values of `aud` that an assertion may carry. */
  readonly assertionAudiences: readonly string[]
}

const params = z.object({
  assertion: z.string('assertion is required').min(1, 'assertion is empty'),
  scope: z.string().optional(),
})

/** RFC 7523 section 2.1: a service user signs what it asks for. The assertion may be used until it expires. */
export const jwtBearerGrant = (deps: Deps) =>
  assertionGrant({
    params,
    async handle({ params, now, cnf }) {
      const { directory } = deps
      const { account, serviceUser } = await requireSigner(deps, params.assertion, now)
      const organization = {
        organizationId: account.organizationId,
        primaryDomain: account.organizationPrimaryDomain,
      }
      const clientId = serviceUser.clientId ?? account.userId
      const { organizationId } = account
      const asker = { clientId, organizationId, kind: 'service_user', mayCallApi: false } as const
      const scopes = withoutRefresh(await requireScopes(directory, asker, params.scope, organization))
      const audience = audienceOf({ clientId, projectId: null }, scopes)
      const form = tokenFormOfServiceUser(serviceUser, await directory.settings())
      const request = accessTokenOfServiceUser(account, { clientId, form, scopes, audience, cnf })
      const accessToken = await issueAccessToken(deps, request, now)
      const idToken = await issueIdToken(
        deps,
        {
          account,
          clientId,
          form,
          scopes,
          audience,
          accessToken: accessToken.value,
          epochs: { user: account.tokenEpoch, organization: account.organizationTokenEpoch },
          authentication: { auth_time: Math.floor(now.getTime() / 1000) },
        },
        now,
      )
      return {
        access_token: accessToken.value,
        token_type: tokenTypeOf(cnf),
        expires_in: accessToken.expiresInSeconds,
        scope: formatScopeString(scopes),
        id_token: idToken,
      }
    },
  })

/** The active service user that signed the assertion. */
async function requireSigner(
  { directory, assertionAudiences }: Deps,
  assertion: string,
  now: Date,
): Promise<{ readonly account: Account; readonly serviceUser: ServiceUser }> {
  const userId = claimedSigner(assertion)
  const serviceUser = userId === undefined ? undefined : await directory.serviceUser(userId)
  if (serviceUser === undefined) throw refused('its sub is not the id of a service user', 'assertion_subject')
  const signer = { id: serviceUser.userId, keys: await directory.machineKeys(serviceUser.userId) }
  await verifySignedAssertion(assertion, signer, assertionAudiences, now).catch((error: unknown) => {
    if (!(error instanceof AssertionRefusal)) throw error
    throw refused(error.message, error.reason, error.cause)
  })
  const account = await directory.account(serviceUser.userId)
  if (account?.active) return { account, serviceUser }
  throw refused('the service user is not active', 'account_not_active')
}

function refused(rule: string, reason: string, cause?: unknown): InvalidGrantError {
  return new InvalidGrantError(`assertion is refused: ${rule}`, { reason, cause })
}
