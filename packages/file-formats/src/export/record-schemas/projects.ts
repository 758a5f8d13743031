import { z } from 'zod'
import { enumeration, flag, identifier, name, newIdentifier, shortText, userIdentifier } from './fields.ts'

const roleKeys = z.array(name).max(1_000).optional()
const roles = z.array(name).max(100).optional()

export const project = z.object({
  projectId: newIdentifier,
  project: z.object({
    name,
    projectRoleAssertion: flag,
    projectRoleCheck: flag,
    hasProjectCheck: flag,
    allowedAudiences: z.array(identifier).max(1_000).optional(),
    privateLabelingSetting: enumeration([
      'PRIVATE_LABELING_SETTING_UNSPECIFIED',
      'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
      'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY',
    ]).optional(),
  }),
})

export const projectRole = z.object({
  projectId: identifier,
  roleKey: name,
  displayName: shortText,
  group: shortText,
})

export const projectGrant = z.object({
  grantId: identifier,
  projectGrant: z.object({ projectId: identifier, grantedOrgId: identifier, roleKeys }),
})

export const userGrant = z.object({
  userId: userIdentifier,
  projectId: identifier,
  projectGrantId: z.union([z.literal(''), identifier]).optional(),
  roleKeys,
})

export const orgMember = z.object({ userId: userIdentifier, roles })

export const projectMember = z.object({ userId: userIdentifier, projectId: identifier, roles })
