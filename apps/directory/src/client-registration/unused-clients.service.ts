import { deleteApplication } from '../applications/applications.service.ts'
import type { CountUse, FindLastUse } from '../usage/usage.ts'
import type { DueRegistration } from './client-registration.repository.ts'
import { type RegistrationCallDependencies, registrationCall } from './registration-call.ts'

interface Dependencies extends RegistrationCallDependencies {
  readonly countUse: CountUse
  readonly findLastUse: FindLastUse
  readonly now: () => Date
}

const DAY_MS = 86_400_000
/** Clients that one round looks at, the longest unused first. */
const MOST_CLIENTS = 200
/** A client with the consent of more people is in use. */
const MOST_USERS = 1_000

/**
 * Creates a job that deletes the clients that registered themselves and that no person used for as many days as their initial access
 * token said. One is in use while a person has a session or a refresh token of it; a consent counts as use on its day, and so do
 * its latest tokens. Every replica may run it. Returns how many it deleted.
 */
export function createDeleteUnusedClients(deps: Dependencies) {
  const { transact, publishEndings, countUse, findLastUse, now } = deps
  return async (): Promise<number> => {
    const due = await transact(({ clientRegistrations }) =>
      clientRegistrations.due(now(), MOST_CLIENTS, MOST_USERS + 1),
    )
    if (due.length === 0) return 0
    const days = await findLastUse(due.map(({ clientId }) => clientId))
    let deleted = 0
    for (const registration of due) {
      const { applicationId } = registration
      const day = days.get(registration.clientId)
      const usedUntil =
        lastUse(registration, now(), day) ?? ((await isInUse(registration)) ? now() : undefined)
      if (usedUntil === undefined) deleted += await remove(registration)
      else {
        const until = new Date(usedUntil.getTime() + registration.unusedDays * DAY_MS)
        await transact(({ clientRegistrations }) => clientRegistrations.keepUntil(applicationId, until))
      }
    }
    return deleted
  }

  async function isInUse({ clientId, userIds, isFirstParty }: DueRegistration): Promise<boolean> {
    if (isFirstParty || userIds.length > MOST_USERS) return true
    // Without a consent no person has got a token for it.
    if (userIds.length === 0) return false
    const { sessions, refreshFamilies } = await countUse('user', userIds, [clientId])
    return sessions > 0 || refreshFamilies > 0
  }

  /** Deletes a client unless it was used or deleted since it was found. */
  async function remove({ applicationId, organizationId, unusedDays }: DueRegistration): Promise<number> {
    const call = registrationCall(
      { transact, publishEndings },
      {
        ...{
          applicationId,
          organizationId,
          action: 'application.delete',
          details: { unused_days: unusedDays },
        },
        actor: { kind: 'service' },
        async before({ clientRegistrations }) {
          const still = await clientRegistrations.findDue(applicationId, now(), 1)
          if (still === undefined || lastUse(still, now()) !== undefined) throw new UsedMeanwhile()
        },
      },
    )
    try {
      await deleteApplication(call, { applicationId })
      return 1
    } catch (error) {
      if (error instanceof UsedMeanwhile) return 0
      throw error
    }
  }
}

/** Ends the transaction of a deletion. */
class UsedMeanwhile extends Error {
  override readonly name = 'UsedMeanwhile'
}

/**
 * Returns when a person allowed the client access last or, where that is later, the end of the day on which it got its latest tokens,
 * if that was within its days.
 */
function lastUse({ agreedAt, unusedDays }: DueRegistration, now: Date, tokenDay?: number): Date | undefined {
  const endOfDay = tokenDay === undefined ? 0 : Math.min((tokenDay + 1) * DAY_MS, now.getTime())
  const latest = Math.max(agreedAt?.getTime() ?? 0, endOfDay)
  return latest > now.getTime() - unusedDays * DAY_MS ? new Date(latest) : undefined
}
