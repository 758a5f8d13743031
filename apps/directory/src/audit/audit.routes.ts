import { AUDIT_CHAINS } from '@signet/tokens/audit-head'
import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { moment, organizationId, timestamp } from '../api/parameters.ts'
import {
  listsSeen,
  onInstance,
  onOrganization,
  viewsInstance,
  viewsOrganization,
} from '../permissions/permission.ts'
import { pageOf, paging } from '../schema/paging.ts'
import { countActivity, exportAudit, listAudit, readChain } from './audit.service.ts'
import { AUDIT_RESULTS, AUDITED_SERVICES } from './audit-entry.ts'

const word = z.string().max(200, 'may have at most 200 characters')
const object = z.strictObject({
  kind: z.string(),
  id: z.string().optional(),
  name: z.string().optional().describe('Today, where the caller may read the object.'),
})

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
    organizationName: z.string().optional(),
    clientAddress: z.string().optional(),
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEntry' })

const hash = z.string().describe('SHA-256 in hexadecimal.')
const microseconds = z.int().describe('Microseconds since 1970.')
const auditSegment = z
  .strictObject({
    number: z.int(),
    sealedAt: microseconds,
    rowCount: z.int(),
    firstAt: microseconds,
    lastAt: microseconds,
    rowsHash: hash,
    previous: hash,
    hash,
    rows: z
      .array(z.strictObject({ id: z.string(), at: microseconds, hash, content: z.string().optional() }))
      .optional()
      .describe('Absent when the retention of all of them has ended.'),
  })
  .meta({ id: 'AuditSegment' })

const auditChain = z
  .strictObject({
    head: z.string().optional().describe('The newest segment, signed: a JWS.'),
    segments: z.array(auditSegment),
    added: z
      .array(z.strictObject({ id: z.string(), at: microseconds }))
      .describe('Rows that no segment lists although they do not wait for it.'),
    unsealed: z.int().describe('How many rows wait to be sealed.'),
    nextCursor: z.string().optional(),
  })
  .meta({ id: 'AuditChain' })

const cursor = z
  .string()
  .max(200, 'may have at most 200 characters')
  .optional()
  .describe('Where an answer before ended.')

export const auditOperations = [
  operation({
    id: 'audit.chain',
    summary: 'Shows the chain of hashes of one audit log with its rows',
    description: 'For signet audit verify, which computes the hashes again.',
    method: 'get',
    path: '/management/v1/audit/chain',
    query: {
      log: z
        .enum(AUDIT_CHAINS)
        .describe('The schema of the service.')
        .meta({ examples: ['directory'] }),
      cursor,
    },
    response: auditChain,
    permission: onInstance(viewsInstance),
    handle: readChain,
  }),
  operation({
    id: 'audit.export',
    summary: 'Returns audit rows as events of OCSF, one JSON object a line',
    description:
      'In the order in which they were sealed, with the signed heads of the chains. unmapped.cursor of a line continues after it.',
    method: 'get',
    path: '/management/v1/audit/export',
    query: { cursor },
    response: z.array(z.looseObject({})).meta({ id: 'AuditExport' }),
    isLines: true,
    permission: onInstance(viewsInstance),
    handle: exportAudit,
  }),
  operation({
    id: 'audit.activity',
    summary: 'Counts sign-ins, refusals and sign-outs over time',
    description:
      'From the audit logs: successful passwords and passkeys, refused sign-ins and authorizations, and sign-outs. Without organizationId of all organizations that the caller may see, and for roles of the instance of all of it.',
    method: 'get',
    path: '/management/v1/audit/activity',
    query: {
      organizationId: organizationId.optional(),
      hours: z.coerce
        .number()
        .int()
        .min(1, 'must be at least 1')
        .max(168, 'may be at most 168')
        .default(24)
        .describe('How far back: a week at most.'),
    },
    response: z
      .strictObject({
        stepSeconds: z.int().describe('The length of a span.'),
        since: timestamp
          .optional()
          .describe('Only the newest 500000 entries are counted: older ones than this are not.'),
        spans: z.array(
          z.strictObject({ at: timestamp, signIns: z.int(), refused: z.int(), signOuts: z.int() }),
        ),
      })
      .meta({ id: 'Activity' }),
    permission: listsSeen(onOrganization(viewsOrganization), viewsOrganization),
    handle: countActivity,
  }),
  operation({
    id: 'audit.list',
    summary: 'Lists what happened, newest first',
    description:
      'In all services, for 400 days. Without organizationId in all organizations that the caller may see, and for roles of the instance in all of it.',
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
      kind: z
        .enum(['all', 'changes'])
        .default('all')
        .describe('changes leaves out what was only looked at; refused looks stay.'),
      requestId: z
        .uuid({ version: 'v7', error: 'must be the X-Request-Id of a response' })
        .optional()
        .describe('The X-Request-Id of the response to the request that did it.'),
      from: moment.optional().describe('Not before.'),
      to: moment.optional().describe('Before.'),
    },
    response: pageOf(auditEntry),
    permission: listsSeen(onOrganization(viewsOrganization), viewsOrganization),
    handle: listAudit,
  }),
]
