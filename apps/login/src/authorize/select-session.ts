import type { BrowserSession } from '../sessions/browser-session.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import type { Progress } from './pending-authorization.ts'

interface SelectionInput {
  /** The sessions that satisfy the request, the latest authentication first. */
  readonly candidates: readonly BrowserSession[]
  /** `login_hint` is the name of none of them. */
  readonly hintNamesNone?: boolean
  readonly progress: Progress
  readonly now: Date
}

/** `session` is the only session that needs a new authentication. */
export type AuthenticationNeeded =
  | { readonly kind: 'sign-in'; readonly session: BrowserSession | undefined }
  | { readonly kind: 'choose-account' | 'hinted-sign-in' | 'register' }

/** `none`: the session can answer the request. */
export type SelectedSession =
  | { readonly kind: 'none'; readonly session: BrowserSession }
  | AuthenticationNeeded

/** Selects the session that answers a request, or says how its user gets one (OIDC Core section 3.1.2.3). */
export function selectSession(
  { prompts, maxAgeSeconds }: Pick<AuthorizationRequest, 'prompts' | 'maxAgeSeconds'>,
  { candidates, hintNamesNone = false, progress, now }: SelectionInput,
): SelectedSession {
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
