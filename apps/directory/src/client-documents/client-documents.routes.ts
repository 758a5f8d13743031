import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { projectId, timestamp } from '../api/parameters.ts'
import { listsSeen, onProject, viewsProject } from '../permissions/permission.ts'
import { pageOf, paging } from '../schema/paging.ts'
import { listClientDocuments } from './client-documents.service.ts'

const state = z.enum(['active', 'inactive'])

const clientDocument = z
  .strictObject({
    applicationId: z
      .string()
      .describe('The application that changes and deletions name: an update of its state blocks the client.'),
    clientId: z.string().describe('The URL of the document.'),
    host: z.string().describe('The host of the URL, with its port where it has one.'),
    name: z.string().describe('The host and, in parentheses, the name that the document states.'),
    projectId: z.string(),
    state,
    createdAt: timestamp.describe('The first consent of a person.'),
    lastUsedOn: z.iso
      .date()
      .nullable()
      .describe('The day (UTC) of its latest tokens, known after an hour. Null: it got none in 402 days.'),
  })
  .meta({ id: 'ClientDocument' })

export const clientDocumentOperations = [
  operation({
    id: 'client_document.list',
    summary: 'Lists the clients whose client_id is the URL of their document',
    description:
      'Each is an application since a person allowed it access. To deactivate the application blocks the client; a deleted one comes back by the next consent.',
    method: 'get',
    path: '/management/v1/client-documents',
    query: {
      ...paging,
      projectId: projectId.optional(),
      host: z
        .string()
        .regex(/^[^\0/]{1,200}$/u, 'must be a host, with its port where the URL has one')
        .optional()
        .describe('Exactly this host, with its port where the URL has one.'),
      state: state.optional(),
    },
    response: pageOf(clientDocument),
    permission: listsSeen(onProject(viewsProject), viewsProject),
    handle: listClientDocuments,
  }),
]
