// Records the answers of a signed-in user to the consent page (OIDC Core section 3.1.2.4) and to role offers.
import type { AuthorizationFlow } from '../authorize/authorization-flow.ts'
import { askedScopes, type FindConsent } from '../authorize/consent-rule.ts'
import type { Client } from '../authorize/oauth-client.ts'
import type { RoleAnswer, RoleOffers } from '../authorize/role-offers.ts'
import type { Browser } from '../sessions/browser.ts'
import { type OwnChange, ownChange } from '../sessions/sign-in-proof.ts'

/** Consents of users, stored by the directory. */
export interface Consents {
  readonly find: FindConsent
  /** Adds the scopes to the consent of the user. */
  record(owner: OwnChange, consent: GivenConsent): Promise<void>
}

export interface GivenConsent {
  readonly clientId: string
  readonly scopes: readonly string[]
  /** The client as its document describes it; absent for an application. */
  readonly documented?: Pick<Client, 'name' | 'redirectUris' | 'grantTypes' | 'signsAssertions'>
  /** The types of details that were allowed for this request, for the audit log. */
  readonly detailTypes: readonly string[]
}

/**
 * Records the consent of the user to a pending request, for this request and its session. Does nothing where no consent
 * is required any more.
 */
export type AllowAccess = (requestId: string, browser: Browser, clientAddress: string) => Promise<void>

export function createAllowAccess(
  consents: Consents,
  flow: Pick<AuthorizationFlow, 'assess' | 'update'>,
): AllowAccess {
  return async (requestId, browser, clientAddress) => {
    const assessment = await flow.assess(requestId, browser)
    if (assessment.interaction !== 'consent') return
    const { redirect, request, session } = assessment
    const { clientId, documentHost } = redirect.client
    const { details = [], scopesOfDetails = [] } = request
    await consents.record(ownChange(session, clientAddress), {
      clientId,
      scopes: askedScopes(request).filter((scope) => !scopesOfDetails.includes(scope)),
      detailTypes: [...new Set(details.map(({ detail }) => detail.type))],
      ...(documentHost !== undefined && { documented: redirect.client }),
    })
    await flow.update(requestId, browser, { consentedSid: session.sid })
  }
}

/** Answers the role offer that a pending request shows; does nothing without an offer. */
export type AnswerRoleOffer = (requestId: string, browser: Browser, answer: RoleAnswer) => Promise<void>

export function createAnswerRoleOffer(
  offers: Pick<RoleOffers, 'answer'>,
  flow: Pick<AuthorizationFlow, 'assess'>,
): AnswerRoleOffer {
  return async (requestId, browser, answer) => {
    const assessment = await flow.assess(requestId, browser)
    if (assessment.interaction !== 'accept-roles') return
    await offers.answer(ownChange(assessment.session, answer.clientAddress), answer)
  }
}
