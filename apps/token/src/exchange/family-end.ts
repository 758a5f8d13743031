import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { GrantStore } from '../stores/grant-store.ts'
import type { Parties } from './parties.ts'
import type { Party } from './party.ts'

interface Deps {
  readonly directory: Pick<DirectoryReader, 'settings'>
  readonly grants: Pick<GrantStore, 'find'>
}

/**
 * When a refresh family ends at the latest that an exchange begins: with the family or the session behind each
 * presented token. Undefined when none has one, as behind a personal access token.
 */
export async function familyEnd(deps: Deps, { subject, actor }: Parties): Promise<Date | undefined> {
  const ends = [await endBehind(deps, subject), actor && (await endBehind(deps, actor))]
  return earliest(ends.filter((end) => end !== undefined))
}

async function endBehind({ directory, grants }: Deps, party: Party): Promise<Date | undefined> {
  const grantIds = new Set(party.origins.flatMap(({ grantId }) => grantId ?? []))
  const found = await Promise.all([...grantIds].map((grantId) => grants.find(grantId)))
  const families = found.flatMap((grant) => (grant?.hasRefresh ? [grant.absoluteEnd] : []))
  if (families.length > 0) return earliest(families)
  const hasSession = party.origins.some(({ sid }) => sid !== undefined)
  if (!hasSession || party.authTime === undefined) return undefined
  const { sessionAbsoluteSeconds } = await directory.settings()
  return new Date((party.authTime + sessionAbsoluteSeconds) * 1000)
}

function earliest(ends: readonly Date[]): Date | undefined {
  return ends.toSorted((one, other) => one.getTime() - other.getTime())[0]
}
