import type { Clock } from '@signet/platform/runtime/clock'
import type { EndedBy } from '../audit/session-events.ts'
import type { EndedSession, EndingStore } from '../stores/ending-store.ts'
import type { PublishEndings } from './publish-endings.ts'

/** Ends browser sessions; when it resolves, nothing made under them is active anywhere. */
export type EndSessions = (sessions: readonly EndedSession[], by: EndedBy) => Promise<void>

export function endSessions(deps: {
  readonly endings: EndingStore
  readonly publish: PublishEndings
  readonly now: Clock
}): EndSessions {
  return async (sessions, by) => {
    const distinct = [...new Map(sessions.map((session) => [session.sid, session])).values()]
    if (distinct.length === 0) return
    await deps.publish(await deps.endings.endSessions(distinct, deps.now(), by))
  }
}
