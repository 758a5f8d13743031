import type { Caller } from '@signet/admin-api/caller'
import type { Clock } from '@signet/platform/runtime/clock'
import { explainReason } from '@signet/protocol/refusal-reasons'
import type { ManagementCall } from '../api/management-call.ts'
import { readEntryPosition, writeEntryPosition } from '../audit/audit.service.ts'
import { viewsAccounts, viewsInstance, viewsOrganization, viewsProject } from '../permissions/permission.ts'
import { seenObjects } from '../permissions/seen-objects.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { RefusalStore } from './refusal.repository.ts'
import type { RefusalFilter, RefusalReach, StoredRefusal } from './refusal.ts'

/** Time for which refusals are kept. */
const KEPT_MS = 7 * 86_400_000

/** The refusals of the last week within the reach of the caller, newest first. Others do not exist for it. */
export async function listRefusals(
  { caller }: ManagementCall,
  { limit, cursor, ...filter }: RefusalFilter & PageRequest,
  { refusals, now }: { readonly refusals: RefusalStore; readonly now: Clock },
): Promise<Page<ExplainedRefusal>> {
  const after = cursor === undefined ? undefined : readEntryPosition(cursor)
  const since = new Date(now().getTime() - KEPT_MS)
  const found = await refusals.newest(filter, reachOf(caller), { after, since, limit: limit + 1 })
  const items = found.slice(0, limit).map(({ refusal }) => explained(refusal))
  const last = found.length > limit ? found[limit - 1]?.position : undefined
  return { items, nextCursor: last && writeEntryPosition(last) }
}

type ExplainedRefusal = StoredRefusal & { readonly cause?: string; readonly cure?: string }

/** Adds the rule in words and what cures it, with the values that the caller may see. */
function explained(refusal: StoredRefusal): ExplainedRefusal {
  const { reason, values, userId, clientId, applicationId } = refusal
  const named = { ...values, user: userId, application: applicationId ?? clientId }
  return { ...refusal, ...explainReason(reason, named) }
}

/** Returns the objects that the roles of a caller let it read, by the rules of all lists. */
function reachOf(caller: Caller): RefusalReach {
  return {
    isInstanceReader: seenObjects(caller, viewsInstance) === undefined,
    ofApplications: seenObjects(caller, viewsOrganization)?.organizationIds ?? [],
    ofProjects: seenObjects(caller, viewsProject)?.projectIds ?? [],
    ofPeople: seenObjects(caller, viewsAccounts)?.organizationIds ?? [],
  }
}

/** Creates a job that deletes the refusals of the weeks before. Every replica may run it. */
export function createDeleteOldRefusals(
  refusals: Pick<RefusalStore, 'deleteBefore'>,
  now: Clock,
): () => Promise<void> {
  return () => refusals.deleteBefore(new Date(now().getTime() - KEPT_MS))
}
