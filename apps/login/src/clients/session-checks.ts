// Whether a session of a browser may still be used: by the directory, the revocations and the ended sessions.
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Queryable } from '@signet/platform/postgres/pool'
import { impersonationTokenId } from '@signet/revocation-reader/endings'
import type { RevocationReader } from '@signet/revocation-reader/revocation-reader'
import { queryStore } from '../dependency.ts'
import {
  type BrowserSession,
  type IsUsable,
  needsFullCheck,
  type SessionChecks,
} from '../sessions/browser-session.ts'

/** Whether a session ended in the last 400 days. */
type HasSessionEnded = (sid: string) => Promise<boolean>

export function createEndedSessionCheck(database: Queryable): HasSessionEnded {
  return async (sid) => {
    const { rowCount } = await database.query({
      name: 'login.ended_session', // ended_session_sid
      text: 'SELECT FROM grants_read.ended_session_v1 WHERE sid = $1 LIMIT 1',
      values: [sid],
    })
    return rowCount === 1
  }
}

interface SessionCheckDependencies {
  readonly directory: DirectoryReader
  readonly revocations: Pick<RevocationReader, 'isEnded' | 'begin'>
  readonly hasEnded: HasSessionEnded
  /** Generation of the database; records of a lower one are rejected. */
  readonly generation: number
  readonly now: () => Date
}

interface RestsOn
  extends Pick<BrowserSession, 'userId' | 'organizationId' | 'userEpoch' | 'organizationEpoch'> {
  readonly sid?: string
  /** The impersonation, where the account is that of its administrator. */
  readonly personalTokenId?: string
}

/**
 * A session is usable while its account is active and no revocation covers the session, its account or its
 * organization.
 */
export function sessionChecks(dependencies: SessionCheckDependencies): SessionChecks {
  const { directory, revocations, hasEnded, generation, now } = dependencies
  const createIsUsable =
    (isCovered: RevocationReader['isEnded']): IsUsable =>
    async ({ sid, lastCheckedAt, impersonation, ...account }) => {
      if (!(await isAccountUsable({ ...account, ...(sid !== undefined && { sid }) }, isCovered))) return false
      if (impersonation !== undefined) {
        const { id, administratorId: userId, ...administrator } = impersonation
        const ended = { ...administrator, userId, personalTokenId: impersonationTokenId(id) }
        if (!(await isAccountUsable(ended, isCovered))) return false
      }
      if (sid === undefined || !needsFullCheck(lastCheckedAt, now().getTime())) return true
      return !(await queryStore('postgres', () => hasEnded(sid)))
    }
  /** Whether the account is active and nothing was revoked that a session of it rests on. */
  async function isAccountUsable(
    { userId, organizationId, userEpoch, organizationEpoch, sid, personalTokenId }: RestsOn,
    isCovered: RevocationReader['isEnded'],
  ): Promise<boolean> {
    const account = await queryStore('postgres', () => directory.account(userId))
    if (account === undefined || !account.active) return false
    // The revocation log holds an epoch only while access tokens can be older. A session can be weeks older.
    if (account.tokenEpoch > userEpoch || account.organizationTokenEpoch > organizationEpoch) return false
    return !(await queryStore('postgres', () =>
      isCovered({
        ...(sid !== undefined && { sid }),
        ...(personalTokenId !== undefined && { personalTokenId }),
        user: { id: userId, epoch: userEpoch },
        organizations: [{ id: organizationId, epoch: organizationEpoch }],
        generation,
      }),
    ))
  }
  return {
    async lifetimes() {
      const { sessionIdleSeconds, sessionAbsoluteSeconds } = await queryStore('postgres', () =>
        directory.settings(),
      )
      return { idleSeconds: sessionIdleSeconds, absoluteSeconds: sessionAbsoluteSeconds }
    },
    async endsWithBrowser(organizationId) {
      const organization = await queryStore('postgres', () => directory.organization(organizationId))
      return organization?.sessionEndsWithBrowser ?? false
    },
    isUsable: createIsUsable(revocations.isEnded),
    begin: () => createIsUsable(revocations.begin()),
  }
}
