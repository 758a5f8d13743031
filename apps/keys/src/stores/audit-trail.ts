import { auditTrail } from '@signet/admin-api/audit/audit-trail'

/** The audit log of this service, in the schema that it owns. */
export const trail = auditTrail('keys')
