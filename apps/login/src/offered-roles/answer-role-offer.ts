import type { AuthorizationFlow } from '../authorize/authorize.service.ts'
import type { RoleAnswer, RoleOffers } from '../consent/role-offers.ts'
import type { Browser } from '../sessions/browser.ts'

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
