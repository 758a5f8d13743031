import type { AuthorizationFlow } from '../authorize/authorize.service.ts'
import type { Browser } from '../sessions/browser.ts'
import { askedScopes, type FindConsent } from './consent-rule.ts'
import type { RoleAnswer, RoleOffers } from './role-offers.ts'

/** What people have agreed to, kept by the directory. */
export interface Consents {
  readonly find: FindConsent
  /** Adds to them. */
  record(consent: GivenConsent): Promise<void>
}

interface GivenConsent {
  readonly userId: string
  readonly clientId: string
  readonly scopes: readonly string[]
  /** Network address of the person, for the audit trail. */
  readonly clientAddress: string
}

/**
 * Records that the person allows what a pending request asks for. It counts for this request and the session it was
 * shown for; where nothing has to be asked any more it does nothing.
 */
export type AllowAccess = (requestId: string, browser: Browser, clientAddress: string) => Promise<void>

interface ConsentDependencies {
  readonly consents: Consents
  readonly flow: Pick<AuthorizationFlow, 'look' | 'note'>
}

export function createAllowAccess({ consents, flow }: ConsentDependencies): AllowAccess {
  return async (requestId, browser, clientAddress) => {
    const assessment = await flow.look(requestId, browser)
    if (assessment.interaction !== 'consent') return
    const { redirect, request, session } = assessment
    const { clientId } = redirect.client
    await consents.record({ userId: session.userId, clientId, scopes: askedScopes(request), clientAddress })
    await flow.note(requestId, browser, { consentedSid: session.sid })
  }
}

/** Answers for the person that a pending request shows an offer to; otherwise does nothing. */
export type AnswerRoleOffer = (requestId: string, browser: Browser, answer: RoleAnswer) => Promise<void>

export function createAnswerRoleOffer(
  offers: Pick<RoleOffers, 'answer'>,
  flow: Pick<AuthorizationFlow, 'look'>,
): AnswerRoleOffer {
  return async (requestId, browser, answer) => {
    const assessment = await flow.look(requestId, browser)
    if (assessment.interaction !== 'accept-roles') return
    await offers.answer({ ...answer, userId: assessment.session.userId })
  }
}
