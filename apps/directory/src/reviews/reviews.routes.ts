import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { applicationId } from '../api/parameters.ts'
import { onApplication, viewsProject } from '../permissions/permission.ts'
import { SEVERITIES } from './application-review.ts'
import { readApplicationReview } from './reviews.service.ts'

const finding = z.strictObject({
  rule: z.string().describe('The rules are in docs/guides/application-review.md.'),
  severity: z.enum(SEVERITIES),
  section: z.string().describe('Of a specification or of the documentation.'),
  text: z.string(),
  fix: z.string().optional().describe('A command. Absent: the application itself has to change.'),
})

export const reviewOperations = [
  operation({
    id: 'application.review',
    summary: 'Reviews an application by RFC 9700',
    description:
      'Evaluates its settings, its secrets and the requests of the last seven days that are stored. Nothing is changed.',
    method: 'get',
    path: '/management/v1/applications/{applicationId}/review',
    parameters: { applicationId },
    response: z
      .strictObject({
        rules: z.int().min(0),
        kept: z.int().min(0).describe('Rules without a finding.'),
        findings: z.array(finding).readonly(),
      })
      .meta({ id: 'ApplicationReview' }),
    permission: onApplication(viewsProject),
    handle: readApplicationReview,
  }),
]
