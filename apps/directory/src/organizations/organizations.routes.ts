import { newIdentifier } from '@signet/file-formats/export/record-schemas/fields'
import { ORGANIZATION_FIELDS } from '@signet/protocol/fields/organization'
import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { organizationId, patch, timestamp } from '../api/parameters.ts'
import {
  listsSeen,
  managesInstance,
  managesOrganization,
  onInstance,
  onOrganization,
  viewsOrganization,
} from '../permissions/permission.ts'
import { newSchemas, requestSchemas, responseSchemas } from '../schema/field-schemas.ts'
import { domain, name } from '../schema/fields.ts'
import { pageOf, paging } from '../schema/paging.ts'
import {
  createOrganization,
  deleteOrganization,
  listOrganizations,
  readOrganization,
  updateOrganization,
} from './organizations.service.ts'

const COLLECTION = '/management/v1/organizations'
const ITEM = `${COLLECTION}/{organizationId}`

const state = z.enum(['active', 'inactive'])
const anyState = z
  .enum(['active', 'inactive', 'deleting'])
  .describe('`deleting`: nothing of it counts any more, and its rows are deleted in the background.')
const { name: shownName, ...shown } = responseSchemas(ORGANIZATION_FIELDS)

const organization = z
  // Stored values may be older than a rule, so responses promise their type and not their syntax.
  .strictObject({
    id: z.string(),
    name: shownName,
    state: anyState,
    ...shown,
    createdAt: timestamp,
  })
  .meta({ id: 'Organization' })

export const organizationOperations = [
  operation({
    id: 'organization.list',
    summary: 'Lists organizations',
    description: 'Those that the caller may see.',
    method: 'get',
    path: COLLECTION,
    query: {
      ...paging,
      state: anyState.optional(),
      name: name.optional().describe('Exactly this name.'),
      primaryDomain: domain.optional().describe('Exactly this domain.'),
    },
    response: pageOf(organization),
    permission: listsSeen(onInstance(viewsOrganization), viewsOrganization),
    handle: listOrganizations,
  }),
  operation({
    id: 'organization.create',
    summary: 'Creates an organization',
    description: 'Its primary domain is verified by that.',
    method: 'post',
    path: COLLECTION,
    request: z.strictObject({
      id: newIdentifier.optional().describe('Generated when left out.'),
      ...newSchemas(ORGANIZATION_FIELDS),
    }),
    example: { id: 'globex', name: 'Globex', primaryDomain: 'globex.example' },
    response: organization,
    creates: true,
    permission: onInstance(managesInstance),
    handle: createOrganization,
  }),
  operation({
    id: 'organization.read',
    summary: 'Shows an organization',
    method: 'get',
    path: ITEM,
    parameters: { organizationId },
    response: organization,
    permission: onOrganization(viewsOrganization),
    handle: readOrganization,
  }),
  operation({
    id: 'organization.update',
    summary: 'Changes an organization',
    description:
      'The primary domain must be one of its domains. When it stops being active, what was made for its users and applications ends before the answer.',
    method: 'patch',
    path: ITEM,
    parameters: { organizationId },
    request: patch({ ...requestSchemas(ORGANIZATION_FIELDS), state }),
    example: { name: 'ACME Corporation' },
    response: organization,
    permission: {
      ...onOrganization(managesOrganization),
      actsOnEveryAccount: (changes) => changes.state !== undefined,
    },
    handle: updateOrganization,
  }),
  operation({
    id: 'organization.delete',
    summary: 'Deletes an organization',
    description:
      'With its users, projects and applications; every token and session of theirs ends before the answer. One with more than 500 users or grants is then in state `deleting` until the server has deleted its rows, and answers 404 afterwards; meanwhile it takes no users and projects, and its ids and domains are not free.',
    method: 'delete',
    path: ITEM,
    parameters: { organizationId },
    permission: { ...onOrganization(managesOrganization), actsOnEveryAccount: () => true },
    handle: deleteOrganization,
  }),
]
