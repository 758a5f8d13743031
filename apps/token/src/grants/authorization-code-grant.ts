import { InvalidGrantError, InvalidRequestError, namingUser } from '@signet/protocol/errors'
import { codeVerifierMatches, isCodeVerifier } from '@signet/protocol/pkce'
import type { Confirmation } from '@signet/tokens/access-token'
import { type AuthorizationCode, openAuthorizationCode } from '@signet/tokens/authorization-code'
import { z } from 'zod'
import { familyEvents, reuseEvent } from '../audit-events.ts'
import type { EndingStore } from '../ending-store.ts'
import type { GrantStore } from '../grant-store.ts'
import type { IssuanceDeps } from '../issuance/access-token.ts'
import { redirectUriHash } from '../issuance/code.ts'
import { issueTokens, type TokenResponse } from '../issuance/issue-tokens.ts'
import { newGrantWithRefresh, refreshBinding } from '../issuance/new-grant.ts'
import { audienceOf, narrowedAudience, requireAudiences } from '../issuance/scopes.ts'
import type { PublishEndings } from '../revocation/revocation-log-writer.ts'
import { type GrantCall, grant } from './grant.ts'

interface Deps extends IssuanceDeps {
  readonly grants: GrantStore
  readonly endings: EndingStore
  readonly publish: PublishEndings
}

const params = z.object({
  code: z.string('code is required').min(1, 'code is empty'),
  redirect_uri: z.string('redirect_uri is required and equals that of the authorization request'),
  code_verifier: z.string().optional(),
  resource: z.string().optional(),
})

type Params = z.output<typeof params>

/** RFC 6749 section 4.1.3 and RFC 7636 section 4.6. */
export const authorizationCodeGrant = (deps: Deps) =>
  grant({
    params,
    async handle(call) {
      const code = openAuthorizationCode(call.params.code, deps.keys.codeOpener)
      if (code === undefined) throw invalidCode('code_unknown')
      if (code.clientId !== call.client.clientId) throw invalidCode('code_of_other_client')
      return namingUser(
        () => code.user.id,
        () => redeem(deps, call, code),
      )
    },
  })

async function redeem(
  deps: Deps,
  { client, params, now, clientAddress, cnf }: GrantCall<Params>,
  code: AuthorizationCode,
): Promise<TokenResponse> {
  // Checks without storage come first: a call that cannot succeed must not revoke the grant of the one
  // that did. Otherwise a reader of a log with a code could sign out its user.
  requireRedeemable(code, params, now)
  requireKeyOfCode(code, cnf)
  await requireAudiences(deps.directory, client, code.scopes)
  const audience = audienceOf(client, code.scopes)
  const { resource } = params
  const narrowed = await narrowedAudience(deps, client, { audience, resource })
  const redemption = { codeId: code.id, day: code.day, audience }
  const newGrant = await newGrantWithRefresh(deps, { ...code, ...refreshBinding(client, cnf) }, client, now)
  const events = familyEvents(newGrant, clientAddress)
  const result = await deps.grants.redeem(redemption, newGrant, events)
  switch (result.outcome) {
    case 'redeemed':
      return issueTokens(
        deps,
        {
          client,
          grant: newGrant,
          scopes: code.scopes,
          ...(code.nonce !== undefined && { nonce: code.nonce }),
          ...(newGrant.refreshKid !== undefined && { refreshCounter: 0 }),
          ...{ narrowed, cnf },
        },
        now,
      )
    case 'replayed': {
      // RFC 6749 section 4.1.2: a second use shows that the tokens of the first may be in other hands.
      const ended = {
        grantId: result.grantId,
        userId: code.user.id,
        organizationId: code.userOrganization.id,
      }
      const requester = { clientId: client.clientId, clientAddress }
      const event = reuseEvent('authorization_code.reuse', ended, requester)
      await deps.publish(await deps.endings.endGrant(ended, { reason: 'code_replayed', event }, now))
      throw invalidCode('code_replayed')
    }
    case 'ended':
      throw invalidCode('session_or_account_ended')
  }
}

function requireRedeemable(
  code: AuthorizationCode,
  { redirect_uri, code_verifier }: Params,
  now: Date,
): void {
  if (code.expiresAt * 1000 <= now.getTime()) throw invalidCode('code_expired')
  if (code.redirectUriHash !== redirectUriHash(redirect_uri)) {
    throw new InvalidGrantError('redirect_uri is not that of the authorization request', {
      reason: 'redirect_uri_mismatch',
    })
  }
  requireProof(code.codeChallenge, code_verifier)
}

/** RFC 9449 section 10: a code of an authorization request with `dpop_jkt` needs a proof of that key. */
function requireKeyOfCode({ dpopJkt }: AuthorizationCode, cnf: Confirmation | undefined): void {
  if (dpopJkt === undefined || dpopJkt === cnf?.jkt) return
  throw new InvalidGrantError('the code is bound to dpop_jkt; send a DPoP proof of that key', {
    reason: 'dpop_key_of_code',
  })
}

/** RFC 7636 section 4.6 and RFC 9700 section 4.8: a challenge needs its verifier, a verifier needs its challenge. */
function requireProof(challenge: string | undefined, verifier: string | undefined): void {
  if (challenge === undefined && verifier === undefined) return
  if (verifier === undefined) {
    throw new InvalidRequestError(
      'code_verifier is required, the authorization request had a code_challenge',
      { reason: 'code_verifier_missing' },
    )
  }
  if (challenge === undefined) {
    throw new InvalidRequestError(
      'code_verifier is given, but the authorization request had no code_challenge',
      { reason: 'code_verifier_surplus' },
    )
  }
  if (!isCodeVerifier(verifier)) {
    throw new InvalidRequestError('code_verifier has 43 to 128 characters of letters, digits, - . _ ~', {
      reason: 'code_verifier_malformed',
    })
  }
  if (!codeVerifierMatches(verifier, challenge)) {
    throw new InvalidGrantError('code_verifier does not belong to the code_challenge', {
      reason: 'pkce_mismatch',
    })
  }
}

function invalidCode(reason: string): InvalidGrantError {
  return new InvalidGrantError(
    'code is unknown, used, expired or of another client; start again at the authorization endpoint',
    {
      reason,
    },
  )
}
