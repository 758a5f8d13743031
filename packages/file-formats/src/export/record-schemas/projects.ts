import { PROJECT_FIELDS } from '@signet/protocol/fields/project'
import { ROLE_FIELDS } from '@signet/protocol/fields/role'
import { z } from 'zod'
import { exportedFields } from './field-schemas.ts'
import {
  base64Value,
  creationDate,
  identifier,
  moment,
  name,
  newIdentifier,
  userIdentifier,
  valueText,
} from './fields.ts'

const roleKeys = z.array(name).max(1_000).optional()
const roles = z.array(name).max(100).optional()

export const project = z.object({
  projectId: newIdentifier,
  project: z.object(exportedFields(PROJECT_FIELDS)),
  /** Values for a project that the import creates, where the document gives none; an update does not read them. */
  initial: z.object({ name: valueText.optional() }).optional(),
  creationDate,
})

export const projectRole = z.object({
  projectId: identifier,
  roleKey: name,
  ...exportedFields(ROLE_FIELDS),
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
  // Only documents of Signet have this id.
  userGrantId: newIdentifier.optional(),
  creationDate,
})

/** Metadata of the organization; only documents of Signet have it. */
export const organizationMetadata = z.object({ key: name, value: base64Value })

export const orgMember = z.object({ userId: userIdentifier, roles })

export const projectMember = z.object({ userId: userIdentifier, projectId: identifier, roles })

// Sections that Signet does not interpret. It checks the identifying members and stores the other members unchanged.

const language = z.string().min(1, 'must not be empty').max(35)

export const localisedText = z.looseObject({ language })

export const action = z.looseObject({ actionId: identifier })

const FLOWS = { FLOW_TYPE_EXTERNAL_AUTHENTICATION: '1' } as const
const TRIGGERS = {
  TRIGGER_TYPE_POST_AUTHENTICATION: '1',
  TRIGGER_TYPE_PRE_CREATION: '2',
  TRIGGER_TYPE_POST_CREATION: '3',
} as const

/** Converts the names and numbers of enums in the v1 layout to the ids of the v2 layout. */
function flowId(names: Readonly<Record<string, string>>) {
  return z.preprocess(
    (value) => (typeof value === 'number' ? String(value) : (names[String(value)] ?? value)),
    z.string().regex(/^\d{1,4}$/, 'must be the id of a flow or trigger'),
  )
}

export const triggerAction = z.looseObject({
  flowType: flowId(FLOWS),
  triggerType: flowId(TRIGGERS),
  actionIds: z.array(identifier).optional(),
})

export const identityProvider = z.looseObject({ idpId: newIdentifier })

export const userLink = z.looseObject({
  userId: userIdentifier,
  idpId: identifier,
  providedUserId: z.string().min(1, 'must not be empty').max(500).optional(),
  providedUserName: z.string().max(500).optional(),
  // Only documents of Signet have the following members.
  issuer: z.string().min(1).max(500).optional(),
  linkId: identifier.optional(),
  creationDate,
  lastUseDate: moment.optional(),
})

export const projectGrantMember = z.looseObject({
  projectId: identifier,
  grantId: identifier,
  userId: userIdentifier,
  roles: z.array(name).max(100).optional(),
})
