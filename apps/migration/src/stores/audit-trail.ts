import { auditTrail } from '@signet/admin-api/audit/audit-trail'

/** The audit log of this service: calls of administrators and the ends of jobs. */
export const trail = auditTrail('migration')
