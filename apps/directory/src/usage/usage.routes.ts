import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { applicationId, organizationId, projectId, userId } from '../api/parameters.ts'
import {
  onApplication,
  onOrganization,
  onProject,
  onUser,
  viewsAccounts,
  viewsOrganization,
  viewsProject,
} from '../permissions/permission.ts'
import {
  countApplicationUsage,
  countOrganizationUsage,
  countProjectUsage,
  countUserUsage,
} from './usage.service.ts'

const count = z.int().min(0)
const sessions = count.describe(
  'Browser sessions in which one of its applications took part; one that was left without a sign-out counts until its latest end.',
)
const users = count.describe('Different people with these sessions.')
const hasMore = z.boolean().describe('A count ended at its limit of some thousand.')

export const usageOperations = [
  operation({
    id: 'user.usage',
    summary: 'Counts what ends when a user is deactivated or deleted',
    method: 'get',
    path: '/management/v1/users/{userId}/usage',
    parameters: { userId },
    response: z
      .strictObject({
        sessions: count.describe('Browsers that the person is signed in to now.'),
        applications: count.describe('Applications that took part in sessions of the person.'),
        refreshFamilies: count.describe('Refresh tokens of applications for the person.'),
        hasMore,
      })
      .meta({ id: 'UserUsage' }),
    permission: onUser(viewsAccounts),
    handle: countUserUsage,
  }),
  operation({
    id: 'application.usage',
    summary: 'Counts what ends when an application is deactivated or deleted',
    description: 'An application that nobody signed in to has no session.',
    method: 'get',
    path: '/management/v1/applications/{applicationId}/usage',
    parameters: { applicationId },
    response: z.strictObject({ sessions, users, hasMore }).meta({ id: 'ApplicationUsage' }),
    permission: onApplication(viewsProject),
    handle: countApplicationUsage,
  }),
  operation({
    id: 'project.usage',
    summary: 'Counts what ends when a project is deleted',
    method: 'get',
    path: '/management/v1/projects/{projectId}/usage',
    parameters: { projectId },
    response: z
      .strictObject({
        applications: count,
        peopleWithRoles: count.describe('Users with a role in the project.'),
        sessions,
        users,
        hasMore,
      })
      .meta({ id: 'ProjectUsage' }),
    permission: onProject(viewsProject),
    handle: countProjectUsage,
  }),
  operation({
    id: 'organization.usage',
    summary: 'Counts what ends when an organization is deactivated or deleted',
    method: 'get',
    path: '/management/v1/organizations/{organizationId}/usage',
    parameters: { organizationId },
    response: z
      .strictObject({
        people: count.describe('People and service users.'),
        projects: count,
        applications: count,
        sessions: count.describe('Browser sessions of its people, and of others at its applications.'),
        hasMore,
      })
      .meta({ id: 'OrganizationUsage' }),
    permission: onOrganization(viewsOrganization),
    handle: countOrganizationUsage,
  }),
]
