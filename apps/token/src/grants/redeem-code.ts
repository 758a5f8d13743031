import type { InvalidGrantError } from '@signet/protocol/errors'
import type { AuthorizationCode } from '@signet/tokens/authorization-code'
import { familyEvents, reuseEvent } from '../audit-events.ts'
import type { EndingStore } from '../ending-store.ts'
import type { GrantStore } from '../grant-store.ts'
import type { IssuanceDeps } from '../issuance/access-token.ts'
import { exchangeOfImpersonation } from '../issuance/code.ts'
import { audienceWithDetails, narrowedDetails } from '../issuance/details.ts'
import { issueTokens, type TokenResponse } from '../issuance/issue-tokens.ts'
import { newGrantWithRefresh, refreshBinding } from '../issuance/new-grant.ts'
import { audienceOf, narrowedAudience, requireAudiences } from '../issuance/scopes.ts'
import type { PublishEndings } from '../revocation/revocation-log-writer.ts'
import type { GrantCall } from './grant.ts'

export interface RedeemDeps extends IssuanceDeps {
  readonly grants: GrantStore
  readonly endings: EndingStore
  readonly publish: PublishEndings
}

interface Redeemed {
  /** A code of this client, which has not expired and whose proofs came along. */
  readonly code: AuthorizationCode
  /** Narrows the audience of the access token (RFC 8707 section 2.2). */
  readonly resource: string | undefined
  /** The parameter `authorization_details`, which narrows those of the access token (RFC 9396 section 7). */
  readonly details: string | undefined
  readonly refusal: (reason: string) => InvalidGrantError
}

/**
 * Redeems a code for tokens, once: of any number of calls for one code one gets them, and each other one ends their grant. The
 * session, the user, the application and their organizations must not have ended, and the projects of the audience must admit
 * the user. Access token and refresh family are bound to the key that the caller proves.
 */
export async function redeemCode(
  deps: RedeemDeps,
  { client, now, clientAddress, cnf }: Omit<GrantCall<unknown>, 'params'>,
  { code, resource, details: asked, refusal }: Redeemed,
): Promise<TokenResponse> {
  await requireAudiences(deps.directory, client, code.scopes)
  const audience = audienceOf(client, code.scopes)
  const ofResource = await narrowedAudience(deps, client, { audience, resource })
  const details = await narrowedDetails(deps, client, { granted: code.details, asked })
  const narrowed = audienceWithDetails(ofResource ?? audience, code.details, details)
  const redemption = { codeId: code.id, day: code.day, audience }
  const { impersonation } = code
  const leftSeconds = impersonation && impersonation.endsAt - Math.floor(now.getTime() / 1000)
  if (leftSeconds !== undefined && leftSeconds <= 0) throw refusal('session_or_account_ended')
  const authorization = {
    ...code,
    ...exchangeOfImpersonation(impersonation, client, audience),
    ...refreshBinding(client, cnf),
  }
  const newGrant = await newGrantWithRefresh(deps, authorization, client, now)
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
          ...{ narrowed, details, cnf },
          ...(leftSeconds !== undefined && { longestSeconds: leftSeconds }),
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
      throw refusal('code_replayed')
    }
    case 'ended':
      throw refusal('session_or_account_ended')
  }
}
