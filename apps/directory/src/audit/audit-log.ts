import { auditTrail } from '@signet/admin-api/audit/audit-trail'

/** The audit log of this service, in its own schema. */
export const trail = auditTrail('directory')
