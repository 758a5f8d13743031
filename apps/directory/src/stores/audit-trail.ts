import { auditTrail } from '@signet/audit-trail/audit-trail'

/** What this service does, in the schema that it owns. */
export const trail = auditTrail('directory')
