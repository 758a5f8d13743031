import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import { isWriteRefused } from '@signet/platform/postgres/unavailable'
import type { AuditEvent } from './audit-event.ts'
import type { AuditLog } from './audit-log.ts'

/**
 * Records that something was shown. When PostgreSQL responds but can write nothing, because its disk is full or it is
 * read-only, the event goes to the log of the service instead and is counted; other failures reject.
 */
export type RecordRead = (event: AuditEvent) => Promise<void>

interface Dependencies {
  readonly audit: AuditLog
  readonly logger: Logger
  readonly metrics?: Metrics | undefined
}

export function readRecorder({ audit, logger, metrics }: Dependencies): RecordRead {
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
    tokenId: details?.token_id,
    clientId: details?.client_id,
  }
}
