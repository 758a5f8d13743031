import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { organizationId, projectId, userId } from '../api/parameters.ts'
import { ROLES_OF_LEVEL } from '../permissions/member.ts'
import {
  managesInstance,
  managesOrganization,
  managesProject,
  onInstance,
  onOrganization,
  onProject,
  type Permission,
  viewsInstance,
  viewsOrganization,
  viewsProject,
} from '../permissions/permission.ts'
import { pageOf, paging } from '../schema/paging.ts'
import { shownUserName } from '../schema/shown-names.ts'
import { deleteMember, listMembers, readMember, setMember } from './members.service.ts'

const member = z
  .strictObject({
    userId: z.string(),
    ...shownUserName,
    roles: z.array(z.string()).readonly(),
    pendingRoles: z
      .array(z.string())
      .readonly()
      .describe(
        'Those of them that do not count yet: the user belongs to another organization and has not accepted them.',
      ),
  })
  .meta({ id: 'Member' })

interface Level {
  /** The noun of the ids, and the kind in the audit log. */
  readonly noun: string
  readonly of: string
  readonly path: string
  readonly scope: Readonly<Record<string, z.ZodString>>
  readonly views: Permission
  readonly manages: Permission
  readonly roles: readonly [string, ...string[]]
}

function memberOperations({ noun, of, path, scope, views, manages, roles }: Level) {
  const parameters = { ...scope, userId }
  const target = { kind: noun, field: 'userId' }
  return [
    operation({
      id: `${noun}.list`,
      summary: `Lists who administers ${of}`,
      method: 'get',
      path,
      parameters: scope,
      query: paging,
      response: pageOf(member),
      permission: views,
      handle: listMembers,
    }),
    operation({
      id: `${noun}.read`,
      summary: `Shows the roles that somebody administers ${of} with`,
      method: 'get',
      path: `${path}/{userId}`,
      parameters,
      response: member,
      permission: views,
      target,
      handle: readMember,
    }),
    operation({
      id: `${noun}.set`,
      summary: `Gives somebody roles to administer ${of}, and no others`,
      description:
        'Roles of impersonators, and any role for a user of another organization, are for IAM_OWNER to give; roles in a project also for its owners, to users of organizations that have accepted a grant of it. A role for a user of another organization does not count until it is accepted.',
      method: 'put',
      path: `${path}/{userId}`,
      parameters,
      request: z.strictObject({ roles: z.array(z.enum(roles)).min(1, 'must name a role') }),
      example: { roles: [roles[1] ?? roles[0]] },
      response: member,
      permission: manages,
      target,
      handle: setMember,
    }),
    operation({
      id: `${noun}.delete`,
      summary: `Takes all roles to administer ${of} away`,
      method: 'delete',
      path: `${path}/{userId}`,
      parameters,
      permission: manages,
      target,
      handle: deleteMember,
    }),
  ]
}

export const allMemberOperations = [
  ...memberOperations({
    noun: 'instance_member',
    of: 'the instance',
    path: '/management/v1/members',
    scope: {},
    views: onInstance(viewsInstance),
    manages: onInstance(managesInstance),
    roles: ROLES_OF_LEVEL.instance,
  }),
  ...memberOperations({
    noun: 'organization_member',
    of: 'an organization',
    path: '/management/v1/organizations/{organizationId}/members',
    scope: { organizationId },
    views: onOrganization(viewsOrganization),
    manages: onOrganization(managesOrganization),
    roles: ROLES_OF_LEVEL.organization,
  }),
  ...memberOperations({
    noun: 'project_member',
    of: 'a project',
    path: '/management/v1/projects/{projectId}/members',
    scope: { projectId },
    views: onProject(viewsProject),
    manages: onProject(managesProject),
    roles: ROLES_OF_LEVEL.project,
  }),
]
