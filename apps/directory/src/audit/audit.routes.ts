import { z } from 'zod'
import { operation } from '../management-api/operation.ts'
import { pageOf, paging } from '../management-api/paging.ts'
import { moment, organizationId, timestamp } from '../management-api/parameters.ts'
import { onOrganization, viewsOrganization } from '../permissions/permission.ts'
import { listAudit } from './audit.service.ts'
import { AUDIT_RESULTS, AUDITED_SERVICES } from './audit-entry.ts'

const word = z.string().max(200, 'may have at most 200 characters')
const object = z.strictObject({ kind: z.string(), id: z.string().optional() })

const auditEntry = z
  .strictObject({
    id: z.string(),
    at: timestamp,
    service: z.enum(AUDITED_SERVICES),
    action: z.string(),
    result: z.enum(AUDIT_RESULTS),
    actor: object,
    target: object.optional(),
    organizationId: z.string().optional(),
    clientAddress: z.string().optional(),
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEntry' })

export const auditOperations = [
  operation({
    id: 'audit.list',
    summary: 'Lists what happened, newest first',
    description: 'In all services, for 400 days. Without organizationId in the whole instance.',
    method: 'get',
    path: '/management/v1/audit',
    query: {
      ...paging,
      organizationId: organizationId.optional(),
      actorId: word.optional().describe('Who did it.'),
      action: word.optional().describe('Such as user.create or sign_in.'),
      targetKind: word.optional().describe('What it was done to, such as user.'),
      targetId: word.optional().describe('The id of what it was done to.'),
      result: z.enum(AUDIT_RESULTS).optional(),
      from: moment.optional().describe('Not before.'),
      to: moment.optional().describe('Before.'),
    },
    response: pageOf(auditEntry),
    permission: onOrganization(viewsOrganization),
    handle: listAudit,
  }),
]
