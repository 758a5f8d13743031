import { hashOf } from './browser.ts'
import type { UpstreamIdentity } from './browser-session.ts'

interface NamedLogout {
  readonly issuer: string
  /** Empty: the session alone is named. */
  readonly subject: string
  /** Empty: all sessions of the subject. */
  readonly sessionId: string
}

const keyOf = (...parts: readonly string[]) => hashOf(JSON.stringify(parts))

/**
 * The keys by which a logout of a provider finds sessions: a session has one key for each way in which a logout token may name it
 * (OpenID Connect Back-Channel Logout 1.0 section 2.4). A token with subject and session names the session of this subject, or those
 * sessions of the subject whose provider gave them no id.
 */
export const upstreamKeys = {
  ofSession: ({ providerId, issuer, subject, sessionId }: UpstreamIdentity): readonly string[] => [
    keyOf(providerId, issuer, 'sub', subject),
    ...(sessionId === undefined
      ? [keyOf(providerId, issuer, 'without', subject)]
      : [keyOf(providerId, issuer, 'sid', sessionId), keyOf(providerId, issuer, 'both', subject, sessionId)]),
  ],
  ofLogout: (providerId: string, { issuer, subject, sessionId }: NamedLogout): readonly string[] => {
    if (sessionId === '') return [keyOf(providerId, issuer, 'sub', subject)]
    if (subject === '') return [keyOf(providerId, issuer, 'sid', sessionId)]
    return [
      keyOf(providerId, issuer, 'both', subject, sessionId),
      keyOf(providerId, issuer, 'without', subject),
    ]
  },
}
