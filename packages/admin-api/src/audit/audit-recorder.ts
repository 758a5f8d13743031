import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { Queryable } from '@signet/platform/postgres/pool'
import { isWriteRefused } from '@signet/platform/postgres/unavailable'
import { OAuthError } from '@signet/protocol/errors'
import { ZodError } from 'zod'
import { ApiError } from '../api-error.ts'
import type { Caller } from '../caller.ts'
import type { AuditEvent, AuditTable, AuditTarget } from './audit-table.ts'

/** Records events of refusals, failures and reads, which have no change and so no transaction. */
export interface AuditRecorder {
  /** Stores an event in a transaction of its own. */
  record(event: AuditEvent): Promise<void>
}

export function createAuditRecorder(table: AuditTable, database: Queryable): AuditRecorder {
  return { record: (event) => table.record(database, event) }
}

/** A call of an operation of a management API: the caller, its address and the target. */
export interface Attempt {
  readonly caller: Caller
  readonly clientAddress: string
  readonly action: string
  readonly target: AuditTarget
  /** Whether the operation shows something and changes nothing. */
  readonly isLookUp?: boolean
  /** Details of the organization or project that contains the target. */
  readonly details?: AuditEvent['details']
}

/** The event of an attempt. */
export function attemptEvent(
  { caller, clientAddress, action, target, details }: Attempt,
  outcome: Pick<AuditEvent, 'result' | 'details' | 'organizationId'>,
): AuditEvent {
  return {
    actor: { kind: caller.kind, id: caller.userId },
    action,
    target,
    clientAddress,
    ...outcome,
    details: { ...authentication(caller), ...details, ...outcome.details },
  }
}

/** How the caller was authenticated: by which token, through whom, and how and when the user signed in. */
function authentication({
  tokenId,
  clientId,
  act,
  acr,
  authTime,
}: Caller): NonNullable<AuditEvent['details']> {
  return {
    token_id: tokenId,
    ...(clientId !== undefined && { client_id: clientId }),
    ...(act !== undefined && { act }),
    ...(acr !== undefined && { acr }),
    ...(authTime !== undefined && { auth_time: authTime }),
  }
}

/**
 * Runs `work` and records its failure, but not that a look-up found no such object: clients try several names, and callers
 * who may not know of an object are refused as for one that exists. A success records itself, a change in its own
 * transaction.
 */
export type AuditProblems = <Result>(attempt: Attempt, work: () => Promise<Result>) => Promise<Result>

export function createAuditProblems(audit: AuditRecorder, logger: Logger): AuditProblems {
  return async (attempt, work) => {
    try {
      return await work()
    } catch (error) {
      if (attempt.isLookUp && error instanceof ApiError && error.status === 404) throw error
      try {
        await audit.record(attemptEvent(attempt, problem(error)))
      } catch (auditError) {
        // The refused call changed nothing, so a missing event is only logged; the caller gets the first error.
        logger.error('audit_failed', { error: auditError })
      }
      throw error
    }
  }
}

function problem(error: unknown) {
  if (error instanceof ZodError) return { result: 'refused', details: { reason: 'fields_invalid' } } as const
  if (!(error instanceof ApiError || error instanceof OAuthError))
    return { result: 'failed', details: { reason: 'unexpected' } } as const
  return {
    result: error.status < 500 ? 'refused' : 'failed',
    details: { reason: error.reason },
  } as const
}

/**
 * Records that something was shown. When PostgreSQL responds but can write nothing, because its disk is full or it is
 * read-only, the event goes to the log of the service instead and is counted; other failures reject.
 */
export type RecordRead = (event: AuditEvent) => Promise<void>

interface Dependencies {
  readonly audit: AuditRecorder
  readonly logger: Logger
  readonly metrics?: Metrics | undefined
}

export function createReadRecorder({ audit, logger, metrics }: Dependencies): RecordRead {
  const count = metrics?.counter({
    name: 'signet_audit_reads_unrecorded_total',
    help: 'Reads that PostgreSQL could not record; their events are in the log as audit_read_unrecorded.',
    labels: [],
  })
  return async (event) => {
    try {
      await audit.record(event)
    } catch (error) {
      if (!isWriteRefused(error)) throw error
      count?.({})
      logger.error('audit_read_unrecorded', { ...loggedFields(event), error })
    }
  }
}

function loggedFields({ actor, action, target, organizationId, clientAddress, details }: AuditEvent) {
  return {
    name: action,
    userId: 'id' in actor ? actor.id : undefined,
    kind: target?.kind,
    targetId: target?.id,
    organizationId,
    address: clientAddress,
    tokenId: textOf(details?.token_id),
    clientId: textOf(details?.client_id),
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
