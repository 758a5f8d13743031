// Whether a session of a browser may still be used: by the directory, the revocations and the ended sessions.
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Queryable } from '@signet/platform/postgres/pool'
import type { RevocationReader } from '@signet/revocation-reader/revocation-reader'
import { queryStore } from '../dependency.ts'
import { type IsUsable, needsFullCheck, type SessionChecks } from '../sessions/browser-session.ts'

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

/**
 * A session is usable while its account is active and no revocation covers the session, its account or its
 * organization.
 */
export function sessionChecks(dependencies: SessionCheckDependencies): SessionChecks {
  const { directory, revocations, hasEnded, generation, now } = dependencies
  const createIsUsable =
    (isCovered: RevocationReader['isEnded']): IsUsable =>
    async ({ sid, lastCheckedAt, userId, organizationId, userEpoch, organizationEpoch }) => {
      const account = await queryStore('postgres', () => directory.account(userId))
      if (account === undefined || !account.active) return false
      // The revocation log holds an epoch only while access tokens can be older. A session can be weeks older.
      if (account.tokenEpoch > userEpoch || account.organizationTokenEpoch > organizationEpoch) return false
      const isEnded = await queryStore('postgres', () =>
        isCovered({
          ...(sid !== undefined && { sid }),
          user: { id: userId, epoch: userEpoch },
          organizations: [{ id: organizationId, epoch: organizationEpoch }],
          generation,
        }),
      )
      if (isEnded) return false
      if (sid === undefined || !needsFullCheck(lastCheckedAt, now().getTime())) return true
      return !(await queryStore('postgres', () => hasEnded(sid)))
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
