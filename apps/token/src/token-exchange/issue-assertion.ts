// Issues identity assertions: draft-ietf-oauth-identity-assertion-authz-grant section 4.3. An application asserts to another
// authorization server for whom it acts, within what an administrator allows it (docs/decisions/0106).

import type { AuditRecorder } from '@signet/admin-api/audit/audit-recorder'
import type { Client } from '@signet/directory-reader/views'
import { type CrossAppTarget, ID_JAG_TYP } from '@signet/protocol/cross-app-access'
import {
  InvalidRequestError,
  InvalidScopeError,
  InvalidTargetError,
  UnauthorizedClientError,
} from '@signet/protocol/errors'
import { TOKEN_TYPES } from '@signet/protocol/grant-types'
import { resourceUriProblem, resourceUris } from '@signet/protocol/resource-indicator'
import type { Confirmation } from '@signet/tokens/access-token'
import { newOpaqueIdentifier } from '@signet/tokens/identifiers'
import { identityAssertionEvent } from '../audit-events.ts'
import type { IssuanceDeps } from '../issuance/access-token.ts'
import { refuseDetails } from '../issuance/details.ts'
import type { TokenResponse } from '../issuance/issue-tokens.ts'
import { type AssertedPersonDeps, requireAssertedPerson } from './asserted-person.ts'

interface Deps extends AssertedPersonDeps, IssuanceDeps {
  readonly keys: IssuanceDeps['keys']
  readonly audit: AuditRecorder
}

interface Params {
  readonly subject_token: string
  readonly subject_token_type: string
  readonly actor_token?: string | undefined
  readonly audience?: string | undefined
  readonly scope?: string | undefined
  readonly resource?: string | undefined
  readonly authorization_details?: string | undefined
}

interface Exchange {
  readonly client: Client
  readonly params: Params
  readonly now: Date
  readonly clientAddress: string
  readonly cnf: Confirmation | undefined
}

/** Lifetime of an assertion, which its client presents at once. */
const LIFETIME_SECONDS = 300

/**
 * Issues an assertion for the person of an ID token or a refresh token of the client. Its session must not have ended, nor the access
 * of the client, the person must be active and be let in by the project of the client, and the client must be allowed to reach the
 * authorization server.
 */
export async function issueIdentityAssertion(
  deps: Deps,
  { client, params, now, clientAddress, cnf }: Exchange,
): Promise<TokenResponse> {
  const { issuer, keys, random, audit } = deps
  requireParameters(client, params)
  const audience = params.audience ?? ''
  const target = requireTarget(client, audience)
  const scopes = requireAllowedScopes(target, params.scope)
  const resource = requireResources(params.resource)
  const { subject_token: token, subject_token_type: type } = params
  const person = await requireAssertedPerson(deps, { client, token, type, now, clientAddress, cnf })
  const issuedAt = Math.floor(now.getTime() / 1000)
  const lifetimeSeconds = Math.min(LIFETIME_SECONDS, person.expiresAt - issuedAt)
  const tokenId = newOpaqueIdentifier(random)
  await audit.record(
    identityAssertionEvent('identity_assertion.issue', person.account, {
      ...{ clientId: client.clientId, clientAddress },
      details: { audience, client_id: target.clientId, scopes, token_id: tokenId },
    }),
  )
  const assertion = await keys.sign(client.idTokenSigningAlg, ID_JAG_TYP, {
    iss: issuer,
    sub: person.account.userId,
    aud: audience,
    client_id: target.clientId,
    jti: tokenId,
    iat: issuedAt,
    exp: issuedAt + lifetimeSeconds,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(resource !== undefined && { resource }),
    ...(person.authTime !== undefined && { auth_time: person.authTime }),
    ...(person.acr !== undefined && { acr: person.acr }),
    ...(person.amr.length > 0 && { amr: person.amr }),
  })
  return {
    access_token: assertion,
    issued_token_type: TOKEN_TYPES.idJag,
    token_type: 'N_A',
    expires_in: lifetimeSeconds,
    scope: scopes.join(' '),
  }
}

function requireParameters(client: Client, params: Params): void {
  if (client.authMethod === 'none') {
    throw new UnauthorizedClientError('identity assertions are for clients that authenticate', {
      reason: 'cross_app_public_client',
    })
  }
  if (params.actor_token !== undefined) {
    throw new InvalidRequestError('actor_token does not go with an identity assertion', {
      reason: 'cross_app_actor',
    })
  }
  refuseDetails(params.authorization_details)
}

/** Throws in the same words whether the client may reach other authorization servers or none. */
function requireTarget({ crossAppAccess }: Client, audience: string): CrossAppTarget {
  const target = Object.hasOwn(crossAppAccess, audience) ? crossAppAccess[audience] : undefined
  if (target !== undefined) return target
  throw new InvalidTargetError(
    'audience must be the issuer of an authorization server that crossAppAccess of the application names',
    { reason: 'cross_app_not_allowed', values: { received: audience } },
  )
}

function requireAllowedScopes({ scopes }: CrossAppTarget, asked: string | undefined): readonly string[] {
  if (asked === undefined) return scopes
  const wanted = [...new Set(asked.split(' ').filter((scope) => scope !== ''))]
  if (wanted.every((scope) => scopes.includes(scope))) return wanted
  throw new InvalidScopeError('scope may only name scopes that crossAppAccess of the application has', {
    reason: 'cross_app_scope',
    values: { received: asked },
  })
}

function requireResources(resource: string | undefined): string | readonly string[] | undefined {
  const uris = resourceUris(resource)
  const rule = uris.map(resourceUriProblem).find((problem) => problem !== undefined)
  if (rule !== undefined)
    throw new InvalidTargetError(`resource ${rule}`, {
      reason: 'cross_app_resource',
      values: { received: resource },
    })
  return uris.length > 1 ? uris : uris[0]
}
