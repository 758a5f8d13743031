import { createAuditTable } from '@signet/admin-api/audit/audit-table'

/** The audit log of this service, in its own schema. */
export const auditTable = createAuditTable('directory')
