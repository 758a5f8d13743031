import { identifier, newIdentifier } from '@signet/file-formats/export/record-schemas/fields'
import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { applicationId, patch, projectId } from '../api/parameters.ts'
import {
  listsSeen,
  managesProject,
  onApplication,
  onProject,
  viewsProject,
  withChosenIds,
  withOwnerFields,
} from '../permissions/permission.ts'
import { name } from '../schema/fields.ts'
import { pageOf, paging } from '../schema/paging.ts'
import { application, applicationSettings, applicationState, newApplication } from './application.schema.ts'
import {
  createApplication,
  deleteApplication,
  listApplications,
  readApplication,
  updateApplication,
} from './applications.service.ts'

const COLLECTION = '/management/v1/applications'
const ITEM = `${COLLECTION}/{applicationId}`

export const applicationOperations = [
  operation({
    id: 'application.list',
    summary: 'Lists applications',
    description: 'Without projectId those of all projects that the caller may see.',
    method: 'get',
    path: COLLECTION,
    query: {
      ...paging,
      projectId: projectId.optional(),
      clientId: identifier.optional().describe('Exactly this client_id.'),
      name: name.optional().describe('Exactly this name.'),
      state: applicationState.optional(),
    },
    response: pageOf(application),
    permission: listsSeen(onProject(viewsProject), viewsProject),
    handle: listApplications,
  }),
  operation({
    id: 'application.create',
    summary: 'Creates an application',
    description:
      'The type decides the fields that are left out: the authorization code flow with refresh tokens, a secret for web and api, no secret for userAgent and native.',
    method: 'post',
    path: COLLECTION,
    request: z.strictObject({
      ...z.strictObject(applicationSettings).partial().shape,
      id: newIdentifier.optional().describe('Generated when left out; only IAM_OWNER chooses it.'),
      clientId: newIdentifier.optional().describe('Generated when left out; only IAM_OWNER chooses it.'),
      projectId,
      name,
      type: applicationSettings.type,
    }),
    opaque: ['claimMapping', 'crossAppAccess'],
    example: {
      projectId: 'portal',
      name: 'Backoffice',
      type: 'web',
      redirectUris: ['https://backoffice.acme.example/callback'],
    },
    response: newApplication,
    creates: true,
    permission: withOwnerFields(withChosenIds(onProject(managesProject), 'id', 'clientId'), 'crossAppAccess'),
    handle: createApplication,
  }),
  operation({
    id: 'application.read',
    summary: 'Shows an application',
    method: 'get',
    path: ITEM,
    parameters: { applicationId },
    response: application,
    permission: onApplication(viewsProject),
    handle: readApplication,
  }),
  operation({
    id: 'application.update',
    summary: 'Changes an application',
    description:
      'When it stops being active or gets another clientId, its codes and tokens end before the response. Other members, redirect URIs among them, are effective everywhere within a second.',
    method: 'patch',
    path: ITEM,
    parameters: { applicationId },
    request: patch({ ...applicationSettings, state: applicationState }),
    opaque: ['claimMapping', 'crossAppAccess'],
    example: { state: 'active', accessTokenLifetimeSeconds: 600 },
    response: application,
    permission: withOwnerFields(onApplication(managesProject), 'crossAppAccess'),
    handle: updateApplication,
  }),
  operation({
    id: 'application.delete',
    summary: 'Deletes an application',
    description: 'All codes and tokens of the application end before the response.',
    method: 'delete',
    path: ITEM,
    parameters: { applicationId },
    permission: onApplication(managesProject),
    handle: deleteApplication,
  }),
]
