import { auditTrail } from '@signet/admin-api/audit/audit-trail'

/** What administrators do to jobs, and how jobs end, in the schema that this service owns. */
export const trail = auditTrail('migration')
