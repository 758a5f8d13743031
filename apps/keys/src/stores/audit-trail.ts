import { auditTrail } from '@signet/admin-api/audit/audit-trail'

/** What this service does, in the schema that it owns. */
export const trail = auditTrail('keys')
