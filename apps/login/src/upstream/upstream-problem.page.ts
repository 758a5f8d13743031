import type { RefusalRecorder } from '@signet/http/refusals'
import { requestId as responseId } from '@signet/http/request-context'
import type { Request, Response } from 'express'
import type { AuthorizationFlow } from '../authorize/authorization-flow.ts'
import type { UpstreamProblem } from '../authorize/pending-authorization.ts'
import type { LoginEvents } from '../events.ts'
import { interactionPath } from '../pages/paths.ts'
import type { Browser } from '../sessions/browser.ts'

interface Dependencies {
  readonly flow: Pick<AuthorizationFlow, 'assess' | 'update'>
  readonly refusals: Pick<RefusalRecorder, 'refused'>
  readonly events: LoginEvents
}

/** The rules that a provider breaks which its administrator switched off, or deleted, while the person was there. */
const OF_SWITCHED_OFF: ReadonlySet<string> = new Set([
  ...['provider_not_offered', 'provider_not_usable', 'provider_unknown'],
])

interface Problem {
  readonly kind: Exclude<UpstreamProblem['outcome'], 'switchedOff'>
  readonly rule?: string
  readonly sent?: string
  readonly expected?: string
  readonly providerId: string
}

/** Returns the function that shows the sign-in page with a problem. It redirects, since the address of an answer is good for one request. */
export function createUpstreamProblemSender({ flow, refusals, events }: Dependencies) {
  return async (
    req: Request,
    res: Response,
    { requestId, browser }: { readonly requestId: string; readonly browser: Browser },
    { kind: outcome, rule, sent, expected, providerId }: Problem,
  ): Promise<void> => {
    events.upstreamRefused(req, { providerId, reason: rule ?? outcome })
    // The directory reports the rules about accounts.
    if (rule !== undefined && (outcome === 'refused' || outcome === 'unavailable')) {
      const { redirect } = await flow.assess(requestId, browser)
      refusals.refused(req, {
        ...{ reason: 'identity_provider_refused', status: outcome === 'refused' ? 400 : 503 },
        values: {
          ...{ clientId: redirect.client.clientId, received: rule },
          others: { provider: providerId, ...(sent && { sent }), ...(expected && { expected }) },
        },
      })
    }
    const upstreamProblem = {
      ...{ providerId, responseId: responseId(req) },
      outcome: rule !== undefined && OF_SWITCHED_OFF.has(rule) ? ('switchedOff' as const) : outcome,
    }
    await flow.update(requestId, browser, { upstreamProblem })
    res.redirect(303, interactionPath('sign-in', requestId))
  }
}
