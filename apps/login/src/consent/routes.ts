// The questions to a signed-in user: consent and offered roles.
import type { Router } from 'express'
import { consentRoute } from './consent.routes.ts'
import { createAllowAccess, createAnswerRoleOffer } from './consent.service.ts'
import { rolesRoute } from './roles.routes.ts'

type ConsentParts = Omit<Parameters<typeof consentRoute>[0], 'allowAccess' | 'consents' | 'flow'> & {
  readonly consents: Parameters<typeof createAllowAccess>[0]
  readonly offers: Parameters<typeof createAnswerRoleOffer>[0]
  readonly flow: Parameters<typeof consentRoute>[0]['flow'] & Parameters<typeof createAllowAccess>[1]
}

/** Creates the routes of the questions to a signed-in user. */
export function createConsentRoutes(parts: ConsentParts): readonly Router[] {
  const { consents, offers, flow } = parts
  return [
    consentRoute({ ...parts, allowAccess: createAllowAccess(consents, flow) }),
    rolesRoute({ ...parts, answerRoleOffer: createAnswerRoleOffer(offers, flow) }),
  ]
}
