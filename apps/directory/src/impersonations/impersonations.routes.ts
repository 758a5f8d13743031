// Sign-ins of administrators as another person (docs/guides/impersonation.md).
import { shownTextProblem } from '@signet/protocol/shown-text'
import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { timestamp, userId } from '../api/parameters.ts'
import { comparesNoRoles, impersonatesAccounts, onUser } from '../permissions/permission.ts'
import { createRule } from '../schema/fields.ts'
import { createImpersonation } from './impersonations.service.ts'

export const impersonationOperations = [
  operation({
    id: 'impersonation.create',
    summary: 'Makes a link by which the caller signs in as a person',
    description:
      'For a person with a role of impersonators, where enableImpersonation of the security policy and allowImpersonation of the login policy allow it. The link counts once, for a minute, in a browser in which the caller has signed in within ten minutes. Its session ends after an hour, with the session of the caller, or when one of these rules ends; its tokens have the claim act, and our APIs refuse them. The person reads the reason.',
    method: 'post',
    path: '/management/v1/users/{userId}/impersonations',
    parameters: { userId },
    request: z.strictObject({
      reason: z
        .string()
        .trim()
        .min(10)
        .max(500)
        // Text that hides or reorders parts of itself would tell the person, and the reader of the audit log, something else.
        .superRefine(createRule(shownTextProblem))
        .describe('Why the caller signs in as the person, who reads it.'),
    }),
    example: { reason: 'Ticket 4711: the report stays empty' },
    response: z.strictObject({ id: z.string(), url: z.string(), expiresAt: timestamp }),
    permission: comparesNoRoles(onUser(impersonatesAccounts)),
    target: { kind: 'user', field: 'userId' },
    handle: createImpersonation,
  }),
]
