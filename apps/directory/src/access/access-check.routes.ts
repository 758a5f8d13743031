import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { applicationId, userId } from '../api/parameters.ts'
import { onUser, viewsOrganization } from '../permissions/permission.ts'
import { checkAccess } from './access-check.service.ts'

const rule = z.strictObject({
  rule: z.string().describe('The name of the rule; those of gates are in docs/sign-in-gates.md.'),
  outcome: z
    .enum(['passed', 'failed', 'asked', 'changed'])
    .describe(
      'asked: the person would be asked for something. changed: the request would be answered otherwise.',
    ),
  text: z.string(),
  value: z.unknown().optional().describe('The value that decides.'),
  source: z
    .enum(['user', 'organization', 'instance', 'application', 'project', 'request'])
    .optional()
    .describe('The object that has the value.'),
  reason: z.string().optional().describe('The label of docs/reference/errors.md.'),
  cure: z.string().optional().describe('A command or a sentence.'),
})

export const accessOperations = [
  operation({
    id: 'access.check',
    summary: 'Evaluates whether a person gets into an application, rule by rule',
    description:
      'Now, by the functions that decide at the sign-in. Nothing is counted or changed. Needs the right to see the organization of the user and the project of the application.',
    method: 'get',
    path: '/management/v1/access-check',
    query: {
      userId,
      applicationId,
      scope: z
        .string()
        .max(2000, 'may have 2000 characters at most')
        .default('openid')
        .describe('The scopes of the request, separated by spaces.'),
    },
    response: z
      .strictObject({
        mayEnter: z.boolean().describe('No rule fails.'),
        rules: z.array(rule).readonly(),
      })
      .meta({ id: 'AccessCheck' }),
    permission: onUser(viewsOrganization),
    target: { kind: 'user', field: 'userId' },
    handle: checkAccess,
  }),
]
