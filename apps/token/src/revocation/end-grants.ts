import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Clock } from '@signet/platform/runtime/clock'
import { accessEndedEvent } from '../audit/grant-events.ts'
import type { EndingStore } from '../stores/ending-store.ts'
import type { ApplicationGrant } from '../stores/grant-store.ts'
import type { PublishEndings } from './publish-endings.ts'

/** What each application holds of a user, ordered by application. */
export type ListGrants = (userId: string) => Promise<readonly ApplicationGrant[]>

export interface EndingOfGrants {
  readonly userId: string
  readonly clientId: string
  readonly clientAddress?: string
}

/** Ends what a user lets an application do; when it resolves, no token made under it is active anywhere. */
export type EndGrants = (ending: EndingOfGrants) => Promise<void>

export function endGrants(deps: {
  readonly directory: Pick<DirectoryReader, 'account'>
  readonly endings: EndingStore
  readonly publish: PublishEndings
  readonly now: Clock
}): EndGrants {
  return async ({ userId, clientId, clientAddress }) => {
    const account = await deps.directory.account(userId)
    const event = accessEndedEvent(
      { userId, clientId, organizationId: account?.organizationId },
      clientAddress,
    )
    await deps.publish(await deps.endings.endGrantsOfClient({ userId, clientId }, event, deps.now()))
  }
}
