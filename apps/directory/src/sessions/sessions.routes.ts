import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { sessionId, timestamp, userId } from '../api/parameters.ts'
import { endsUser, managesAccounts, onUser, viewsAccounts } from '../permissions/permission.ts'
import { pageOf, paging } from '../schema/paging.ts'
import { shownUserName } from '../schema/shown-names.ts'
import { endSession, listSessions } from './sessions.service.ts'

const COLLECTION = '/management/v1/users/{userId}/sessions'

const session = z
  .strictObject({
    id: z.string().describe('The sid claim of its tokens.'),
    authenticatedAt: timestamp,
    lastUsedAt: timestamp.describe('Exact to a minute.'),
    expiresAt: timestamp.describe('When it ends if it is not used again.'),
    amr: z.array(z.string()).readonly().describe('How the person authenticated, as RFC 8176 names it.'),
    browser: z.string().optional().describe('Name of the browser of the sign-in, such as Firefox.'),
    system: z.string().optional().describe('Name of its operating system.'),
    clientAddress: z.string().optional().describe('Network address of the sign-in.'),
    place: z
      .string()
      .optional()
      .describe('City and country of the network address in English, by the database of SIGNET_PLACES_FILE.'),
    applications: z
      .array(
        z.strictObject({
          clientId: z.string(),
          id: z.string().optional(),
          name: z.string().optional().describe('Absent when the caller may not read the application.'),
        }),
      )
      .readonly()
      .describe('The applications that the session was used for, the latest first; at most 20.'),
    impersonatedBy: z
      .strictObject({ administratorId: z.string(), ...shownUserName, reason: z.string() })
      .optional()
      .describe(
        'The administrator who acts as the person in it, and the reason; absent from sessions of the person.',
      ),
  })
  .meta({ id: 'Session' })

export const sessionOperations = [
  operation({
    id: 'session.list',
    summary: 'Lists the browsers that a person is signed in to',
    description: 'Of somebody signed in to more than a thousand, those whose sessions last the longest.',
    method: 'get',
    path: COLLECTION,
    parameters: { userId },
    query: paging,
    response: pageOf(session),
    permission: onUser(viewsAccounts),
    handle: listSessions,
  }),
  operation({
    id: 'session.end',
    summary: 'Ends a session of a person',
    description:
      'Its tokens end before the answer, and applications with back-channel logout are told. Refresh tokens stay with applications that keep them beyond a logout.',
    method: 'delete',
    path: `${COLLECTION}/{sessionId}`,
    parameters: { userId, sessionId },
    permission: endsUser(managesAccounts),
    handle: endSession,
  }),
]
