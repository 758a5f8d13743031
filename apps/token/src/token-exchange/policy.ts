import type { AuditRecorder } from '@signet/admin-api/audit/audit-recorder'
import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import { InvalidRequestError } from '@signet/protocol/errors'
import { mayImpersonate } from '@signet/protocol/role-reach'
import type { Requester } from '../audit-events.ts'
import type { BearerStore } from '../bearer/bearer.repository.ts'
import type { GrantStore } from '../grant-store.ts'
import type { Parties } from './parties.ts'
import type { Party } from './party.ts'

interface Deps {
  readonly directory: Pick<DirectoryReader, 'settings'>
  readonly bearers: Pick<BearerStore, 'rolesOf'>
  readonly audit: AuditRecorder
}

/**
 * Returns the audit events to record before the token `tokenId` is issued: one if the actor is not the subject. Throws
 * InvalidRequestError if the actor may not act for the subject, and records the refusal.
 */
export async function requireImpersonationAllowed(
  deps: Deps,
  { subject, actor }: Parties,
  requester: Requester,
  tokenId: string,
): Promise<readonly AuditEvent[]> {
  if (actor === undefined || actor.account.userId === subject.account.userId) return []
  const impersonation = { ...requester, subject, actor }
  try {
    await requirePolicyAndRole(deps, subject, actor)
  } catch (error) {
    if (error instanceof InvalidRequestError) {
      const { reason } = error
      await deps.audit.record(impersonationEvent(impersonation, { result: 'refused', details: { reason } }))
    }
    throw error
  }
  return [impersonationEvent(impersonation, { result: 'success', details: { token_id: tokenId } })]
}

interface Impersonation extends Requester {
  readonly actor: Party
  readonly subject: Party
}

/** A user asked, through an application, to act for another user (RFC 8693 section 1.1). */
function impersonationEvent(
  { actor, subject, clientId, clientAddress }: Impersonation,
  outcome: Pick<AuditEvent, 'result' | 'details'>,
): AuditEvent {
  const { kind, userId } = actor.account
  return {
    actor: { kind, id: userId },
    action: 'impersonation',
    target: { kind: 'user', id: subject.account.userId },
    organizationId: subject.account.organizationId,
    clientAddress,
    result: outcome.result,
    details: { client_id: clientId, ...outcome.details },
  }
}

/**
 * Requires that the security policy allows impersonation, and that the actor holds a role over the subject which none of
 * the subject's own roles exceeds. Throws InvalidRequestError (RFC 8693 section 2.2.2: a token that is unacceptable by
 * policy).
 */
async function requirePolicyAndRole(
  { directory, bearers }: Pick<Deps, 'directory' | 'bearers'>,
  subject: Party,
  actor: Party,
): Promise<void> {
  if (!(await directory.settings()).enableImpersonation) {
    throw denied(
      'impersonation is switched off; the security policy of the instance allows it',
      'impersonation_off',
    )
  }
  const [held, subjectHolds] = await Promise.all([
    bearers.rolesOf(actor.account.userId),
    bearers.rolesOf(subject.account.userId),
  ])
  const { organizationId } = subject.account
  if (mayImpersonate(held, { organizationId, roles: subjectHolds })) return
  throw denied('the actor has no role that lets it act for this user', 'impersonator_role_missing')
}

function denied(description: string, reason: string): InvalidRequestError {
  return new InvalidRequestError(`permission denied: ${description}`, { reason })
}

interface FamilyEndDeps {
  readonly directory: Pick<DirectoryReader, 'settings'>
  readonly grants: Pick<GrantStore, 'find'>
}

/**
 * Returns the latest end of a refresh family that begins with an exchange: the earliest end of the families or sessions
 * of the presented tokens. Returns undefined if no token has one, as with personal access tokens.
 */
export async function familyEnd(deps: FamilyEndDeps, { subject, actor }: Parties): Promise<Date | undefined> {
  const ends = [await endBehind(deps, subject), actor && (await endBehind(deps, actor))]
  return earliest(ends.filter((end) => end !== undefined))
}

async function endBehind({ directory, grants }: FamilyEndDeps, party: Party): Promise<Date | undefined> {
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
