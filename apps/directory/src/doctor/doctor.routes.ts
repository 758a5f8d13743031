import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { listsSeen, onInstance, viewsOrganization } from '../permissions/permission.ts'
import { CHECKS, type CheckId } from './checks.ts'
import { runDoctor } from './doctor.service.ts'
import { STATIC_SECRETS, type StaticSecretKind } from './static-secrets.ts'

const limit = z.coerce
  .number('must be a number')
  .int('must be a whole number')
  .min(1, 'must be 1 or more')
  .max(1000, 'may be 1000 at most')
  .default(100)
  .describe('How many objects of each check, and secrets of each kind, are listed; all are counted.')

const finding = z.strictObject({
  kind: z.enum([
    'application',
    'database',
    'identity_provider',
    'organization',
    'process',
    'project',
    'project_grant',
    'token',
    'user',
  ]),
  id: z.string(),
  organizationId: z.string().nullable(),
  detail: z.string(),
})

export const doctorOperations = [
  operation({
    id: 'instance.doctor',
    summary: 'Lists what an administrator should look at',
    description:
      'Objects that a rule treats in another way than before an upgrade, or that cross organizations, with what to do about each. An empty list means that there is nothing to do. With roles in organizations alone: the checks that are about one organization, in these.',
    method: 'get',
    path: '/management/v1/doctor',
    query: { limit },
    response: z
      .strictObject({
        checks: z
          .array(
            z.strictObject({
              id: z.enum(Object.keys(CHECKS) as [CheckId, ...CheckId[]]),
              title: z.string(),
              remedy: z.string(),
              count: z.int(),
              findings: z.array(finding).readonly(),
            }),
          )
          .readonly(),
        staticSecrets: z
          .array(
            z.strictObject({
              kind: z.enum(Object.keys(STATIC_SECRETS) as [StaticSecretKind, ...StaticSecretKind[]]),
              count: z.int(),
              replacement: z.string().describe('What replaces secrets of this kind.'),
              secrets: z
                .array(finding)
                .readonly()
                .describe('The holders of the first of them, as many as limit says. No secret is shown.'),
            }),
          )
          .readonly()
          .describe('The kinds of static secrets that are left. They are no findings.'),
      })
      .meta({ id: 'Doctor' }),
    permission: listsSeen(onInstance(viewsOrganization), viewsOrganization),
    target: { kind: 'instance', id: 'doctor' },
    handle: runDoctor,
  }),
]
