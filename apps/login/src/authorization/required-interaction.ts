import type { BrowserSession } from '../sessions/browser-session.ts'
import type { AuthorizationRequest } from './authorization-request.ts'

export interface InteractionFacts {
  readonly session: BrowserSession | undefined
  /** Whether the person signed in to this session for this very request. */
  readonly signedInForThis: boolean
  readonly now: Date
}

/** What has to happen before the request can be answered (OIDC Core section 3.1.2.3). */
export function requiredInteraction(
  { prompts, maxAgeSeconds }: Pick<AuthorizationRequest, 'prompts' | 'maxAgeSeconds'>,
  { session, signedInForThis, now }: InteractionFacts,
): 'none' | 'sign-in' {
  if (session === undefined) return 'sign-in'
  if (signedInForThis) return 'none'
  if (prompts.has('login') || prompts.has('select_account') || prompts.has('create')) return 'sign-in'
  if (maxAgeSeconds !== undefined && now.getTime() - session.authenticatedAt > maxAgeSeconds * 1000)
    return 'sign-in'
  // max_age=0 asks for what prompt=login asks for, whatever the clock says.
  return maxAgeSeconds === 0 ? 'sign-in' : 'none'
}
