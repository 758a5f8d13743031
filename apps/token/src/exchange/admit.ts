import type { AuditLog } from '@signet/admin-api/audit/audit-log'
import type { AuditEvent } from '@signet/admin-api/audit/audit-trail'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import { InvalidRequestError } from '@signet/protocol/errors'
import type { Requester } from '../audit/grant-events.ts'
import { impersonationEvent } from '../audit/impersonation-event.ts'
import type { BearerStore } from '../stores/bearer-store.ts'
import { requireImpersonation } from './impersonation.ts'
import type { Parties } from './parties.ts'

interface Deps {
  readonly directory: Pick<DirectoryReader, 'settings'>
  readonly bearers: Pick<BearerStore, 'rolesOf'>
  readonly audit: AuditLog
}

/**
 * Answers what has to be on record before the token `tokenId` is issued: nothing, unless somebody acts for somebody
 * else. Throws
 * InvalidRequestError where that is not allowed, which is on record then.
 */
export async function admit(
  deps: Deps,
  { subject, actor }: Parties,
  requester: Requester,
  tokenId: string,
): Promise<readonly AuditEvent[]> {
  if (actor === undefined || actor.account.userId === subject.account.userId) return []
  const impersonation = { ...requester, subject, actor }
  try {
    await requireImpersonation(deps, subject, actor)
  } catch (error) {
    if (error instanceof InvalidRequestError) {
      const { reason } = error
      await deps.audit.record(impersonationEvent(impersonation, { result: 'refused', details: { reason } }))
    }
    throw error
  }
  return [impersonationEvent(impersonation, { result: 'success', details: { token_id: tokenId } })]
}
