import type { BrowserSession } from '../sessions/browser-session.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import type { Progress } from './pending-authorization.ts'
import type { RoleOffer } from './role-offers.ts'

interface InteractionInput {
  /** The sessions that satisfy the request, the latest authentication first. */
  readonly candidates: readonly BrowserSession[]
  /** `login_hint` is the name of none of them. */
  readonly hintNamesNone?: boolean
  readonly progress: Progress
  readonly now: Date
}

/** `session` is the session of the response, or the only session that needs a new authentication. */
export type RequiredInteraction =
  | { readonly kind: 'none'; readonly session: BrowserSession }
  | { readonly kind: 'consent'; readonly session: BrowserSession }
  | { readonly kind: 'accept-roles'; readonly session: BrowserSession; readonly offer: RoleOffer }
  | { readonly kind: 'sign-in'; readonly session: BrowserSession | undefined }
  | { readonly kind: 'second-factor'; readonly session: BrowserSession }
  | { readonly kind: 'choose-account' | 'hinted-sign-in' | 'register' }

/** Returns the interaction before the response (OIDC Core sections 3.1.2.3 and 3.1.2.4). */
export function requiredInteraction(
  request: Pick<AuthorizationRequest, 'prompts' | 'maxAgeSeconds'>,
  facts: InteractionInput,
): RequiredInteraction {
  const required = requiredAuthentication(request, facts)
  const { consentedSid } = facts.progress
  const isAsked = request.prompts.has('consent')
  if (required.kind !== 'none' || !isAsked || required.session.sid === consentedSid) return required
  return { kind: 'consent', session: required.session }
}

function requiredAuthentication(
  { prompts, maxAgeSeconds }: Pick<AuthorizationRequest, 'prompts' | 'maxAgeSeconds'>,
  { candidates, hintNamesNone = false, progress, now }: InteractionInput,
): RequiredInteraction {
  const bySid = (sid: string | undefined) => candidates.find((session) => session.sid === sid)
  const signedIn = bySid(progress.signedInSid)
  if (signedIn !== undefined) return { kind: 'none', session: signedIn }
  const chosen = bySid(progress.chosenSid)
  const [first, ...others] = candidates
  const session = chosen ?? (others.length === 0 ? first : undefined)
  if (prompts.has('create')) return { kind: 'register' }
  if (first === undefined || prompts.has('login')) return { kind: 'sign-in', session }
  if (chosen === undefined && prompts.has('select_account')) return { kind: 'choose-account' }
  if (chosen === undefined && hintNamesNone) return { kind: 'hinted-sign-in' }
  if (session === undefined) return { kind: 'choose-account' }
  return isTooOld(session, maxAgeSeconds, now) ? { kind: 'sign-in', session } : { kind: 'none', session }
}

/** max_age=0 always requires a new authentication, as prompt=login does. */
function isTooOld(session: BrowserSession, maxAgeSeconds: number | undefined, now: Date): boolean {
  if (maxAgeSeconds === undefined) return false
  return maxAgeSeconds === 0 || now.getTime() - session.authenticatedAt > maxAgeSeconds * 1000
}
