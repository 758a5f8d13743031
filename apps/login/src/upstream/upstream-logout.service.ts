// Ends the sessions of people who signed in by an identity provider, when the provider says that they signed out there (OpenID
// Connect Back-Channel Logout 1.0, or a LogoutRequest of SAML 2.0). The end is that of every other session: its tokens are revoked first.
import { hashOf } from '../sessions/browser.ts'
import {
  actingBy,
  type BrowserSession,
  type EndSessions,
  endImpersonated,
  type SessionRepository,
  type UpstreamIdentity,
} from '../sessions/browser-session.ts'
import type { BrowserSessions } from '../sessions/browser-sessions.ts'
import { upstreamKeys } from '../sessions/upstream-keys.ts'
import type { UserSessions } from '../sessions/user-sessions.ts'
import type { LogoutMessage, UpstreamLogout, UpstreamRefusal, Upstreams } from './upstream.ts'

/** Stores logouts. Lost, a token could be used again: it ends no session that began after it. */
export interface LogoutMemory {
  /** Returns whether the token is used for the first time: of concurrent calls one gets true. */
  claim(tokenHash: string, ttlSeconds: number): Promise<boolean>
  /** Takes a claim back, so that the provider may send the token again. */
  release(tokenHash: string): Promise<void>
  /** Stores that sign-ins of identities until a time (unix milliseconds) count no more. */
  end(keys: readonly string[], until: number): Promise<void>
  /** The latest such time of the keys; 0: none. */
  endedUntil(keys: readonly string[]): Promise<number>
}

interface Dependencies {
  readonly upstreams: Pick<Upstreams, 'readLogoutRequest' | 'readLogoutToken'>
  readonly sessionStore: Pick<SessionRepository, 'browsersOfUpstream' | 'load'>
  readonly sessions: Pick<BrowserSessions, 'removeEverywhere'>
  readonly endSessions: EndSessions
  readonly logoutMemory: LogoutMemory
  readonly now: () => Date
}

/** Clocks may differ: a sign-in so long after the token was made is one of before. */
const TOLERANCE_MS = 30_000
const CLAIM_SECONDS = 120

export interface UpstreamLogouts {
  /** Returns the ids of the sessions that ended, or why the token is refused. Rejects when they could not be ended. */
  end(request: {
    readonly providerId: string
    readonly logoutToken: string
    readonly clientAddress: string
  }): Promise<{ readonly kind: 'ended'; readonly sids: readonly string[] } | UpstreamRefusal>
  /** Does the same for a request of a SAML provider, with the address of the answer. */
  endByRequest(
    request: LogoutMessage & { readonly clientAddress: string },
  ): Promise<
    { readonly kind: 'ended'; readonly sids: readonly string[]; readonly location: string } | UpstreamRefusal
  >
}

export function createUpstreamLogouts(dependencies: Dependencies): UpstreamLogouts {
  const { upstreams, logoutMemory: memory, now } = dependencies

  /** Ends the sessions of a logout that counts once; undefined for one that came before. */
  async function endOnce(ending: Ending): Promise<readonly string[] | undefined> {
    const { providerId, logout } = ending
    const hash = hashOf(JSON.stringify([providerId, logout.issuer, logout.tokenId]))
    const left = Math.ceil((logout.expiresAt.getTime() - now().getTime()) / 1_000)
    // It is good for some seconds after its end, as clocks differ.
    if (!(await memory.claim(hash, Math.max(left, 0) + CLAIM_SECONDS))) return undefined
    try {
      return await endOf(dependencies, ending)
    } catch (error) {
      await memory.release(hash)
      throw error
    }
  }

  return {
    async end({ providerId, logoutToken, clientAddress }) {
      const read = await upstreams.readLogoutToken({ providerId, logoutToken })
      if (read.kind !== 'logout') return read
      const { logout } = read
      const sids = await endOnce({ providerId, logout, sessionIds: [logout.sessionId], clientAddress })
      return sids === undefined ? { kind: 'refused', rule: 'logout_token_used' } : { kind: 'ended', sids }
    },
    async endByRequest({ clientAddress, ...message }) {
      const read = await upstreams.readLogoutRequest(message)
      if (read.kind !== 'logout') return read
      const { logout, location } = read
      const sessionIds = read.sessionIds.length === 0 ? [''] : read.sessionIds
      const sids = await endOnce({ providerId: message.providerId, logout, sessionIds, clientAddress })
      if (sids === undefined) return { kind: 'refused', rule: 'logout_message_used' }
      return { kind: 'ended', sids, location }
    },
  }
}

/** Returns the function that ends a session whose sign-in ended at the provider while it was under way here. It waits until the session is stored. */
export function createEndIfEnded({
  logoutMemory,
  userSessions,
}: Pick<Dependencies, 'logoutMemory'> & { readonly userSessions: Pick<UserSessions, 'endNamed'> }) {
  return async (
    { sid, userId, upstream, signedInFrom }: BrowserSession,
    stored: Promise<void>,
  ): Promise<boolean> => {
    if (upstream === undefined) return false
    await stored
    const until = await logoutMemory.endedUntil(upstreamKeys.ofSession(upstream))
    if (upstream.assertedAt > until) return false
    await userSessions.endNamed({ sid, userId, clientAddress: signedInFrom?.clientAddress ?? '' })
    return true
  }
}

interface Ending {
  readonly providerId: string
  readonly logout: UpstreamLogout
  /** Sessions of the subject; the empty one stands for all. */
  readonly sessionIds: readonly string[]
  readonly clientAddress: string
}

async function endOf(
  { sessionStore: store, logoutMemory: memory, endSessions, sessions }: Dependencies,
  { providerId, logout, sessionIds, clientAddress }: Ending,
): Promise<readonly string[]> {
  const until = logout.issuedAt.getTime() + TOLERANCE_MS
  const keys = sessionIds.flatMap((sessionId) => upstreamKeys.ofLogout(providerId, { ...logout, sessionId }))
  // Before the sessions are read: a sign-in under way stores its session, then reads this.
  await memory.end(keys, until)
  const browsers = (await Promise.all(keys.map((key) => store.browsersOfUpstream(key)))).flat()
  const loaded = await Promise.all([...new Set(browsers)].map((browser) => store.load(browser)))
  const named = (upstream: UpstreamIdentity | undefined) =>
    upstream !== undefined &&
    upstream.assertedAt <= until &&
    upstreamKeys.ofSession(upstream).some((key) => keys.includes(key))
  const known = loaded.flatMap((record) => record.sessions)
  const ended = known.filter(({ upstream }) => named(upstream)).map(({ sid, userId }) => ({ sid, userId }))
  if (ended.length === 0) return []
  const acting = actingBy(known, new Set(ended.map(({ sid }) => sid)))
  await endSessions(ended, { clientAddress })
  await endImpersonated(endSessions, acting, clientAddress)
  const all = [...ended, ...acting.map(({ sid, userId }) => ({ sid, userId }))]
  await sessions.removeEverywhere(all)
  return all.map(({ sid }) => sid)
}
