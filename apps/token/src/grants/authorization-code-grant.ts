import { InvalidGrantError, InvalidRequestError, namingUser } from '@signet/protocol/errors'
import { codeVerifierMatches, isCodeVerifier } from '@signet/protocol/pkce'
import type { Confirmation } from '@signet/tokens/access-token'
import { type AuthorizationCode, openAuthorizationCode } from '@signet/tokens/authorization-code'
import { z } from 'zod'
import { redirectUriHash } from '../issuance/code.ts'
import type { TokenResponse } from '../issuance/issue-tokens.ts'
import { type GrantCall, grant } from './grant.ts'
import { type RedeemDeps, redeemCode } from './redeem-code.ts'

const params = z.object({
  code: z.string('code is required').min(1, 'code is empty'),
  redirect_uri: z.string('redirect_uri is required and equals that of the authorization request'),
  code_verifier: z.string().optional(),
  resource: z.string().optional(),
  authorization_details: z.string().optional(),
})

type Params = z.output<typeof params>

/** RFC 6749 section 4.1.3 and RFC 7636 section 4.6. */
export const authorizationCodeGrant = (deps: RedeemDeps) =>
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
  deps: RedeemDeps,
  call: GrantCall<Params>,
  code: AuthorizationCode,
): Promise<TokenResponse> {
  // Checks without storage come first: a call that cannot succeed must not revoke the grant of the one
  // that did. Otherwise a reader of a log with a code could sign out its user.
  requireRedeemable(code, call.params, call.now)
  requireKeyOfCode(code, call.cnf)
  const { resource, authorization_details: details } = call.params
  return redeemCode(deps, call, { code, resource, details, refusal: invalidCode })
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
