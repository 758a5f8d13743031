import { type DesiredObject, desiredObject, OBJECT_KINDS } from './desired-object.ts'
import { desiredServiceUsers, desiredUsers } from './desired-people.ts'
import type { BootstrapFile } from './schema/bootstrap-file.ts'
import { POLICY_KINDS } from './schema/policies.ts'

type Organization = NonNullable<BootstrapFile['organizations']>[number]

/** A valid file as a flat list; the objects that an object needs stand before it. */
export function desiredObjects(file: BootstrapFile): readonly DesiredObject[] {
  const objects = [
    ...(file.organizations ?? []).flatMap((organization, at) =>
      organizationObjects(organization, `organizations[${at}]`),
    ),
    ...instanceObjects(file),
  ]
  const order = (object: DesiredObject) => OBJECT_KINDS.indexOf(object.kind)
  return objects.sort((a, b) => order(a) - order(b))
}

function organizationObjects(organization: Organization, path: string): DesiredObject[] {
  const { id, name, primaryDomain } = organization
  const owner = desiredObject('organization', {
    path,
    id,
    naturalName: primaryDomain,
    fields: { name, primaryDomain },
  })
  const policies = Object.entries(POLICY_KINDS).flatMap(([member, kind]) => {
    const document = organization[member as keyof typeof POLICY_KINDS]
    if (document === undefined) return []
    return [
      desiredObject('policy', {
        path: `${path}.${member}`,
        parent: owner,
        id: kind,
        naturalName: kind,
        fields: document,
      }),
    ]
  })
  const domains = (organization.domains ?? []).map(({ domainName, isVerified }, at) =>
    desiredObject('domain', {
      path: `${path}.domains[${at}]`,
      parent: owner,
      id: domainName,
      naturalName: domainName,
      fields: { isVerified },
    }),
  )
  return [
    owner,
    ...domains,
    ...policies,
    ...desiredUsers(organization.users ?? [], owner),
    ...desiredServiceUsers(organization.serviceUsers ?? [], owner),
    ...(organization.projects ?? []).flatMap((project, at) =>
      projectObjects(project, owner, `${path}.projects[${at}]`),
    ),
  ]
}

type Project = NonNullable<Organization['projects']>[number]
type Application = NonNullable<Project['applications']>[number]

function projectObjects(project: Project, organization: DesiredObject, path: string): DesiredObject[] {
  const { id, name, projectRoleAssertion, projectRoleCheck, hasProjectCheck, allowedAudiences } = project
  const parent = desiredObject('project', {
    path,
    parent: organization,
    id,
    naturalName: name,
    fields: { name, projectRoleAssertion, projectRoleCheck, hasProjectCheck, allowedAudiences },
  })
  const roles = (project.roles ?? []).map(({ key, displayName, group }, at) =>
    desiredObject('project_role', {
      path: `${path}.roles[${at}]`,
      parent,
      id: key,
      naturalName: key,
      fields: { displayName: displayName ?? key, group },
    }),
  )
  const grants = (project.grants ?? []).map(({ userId, roles: roleKeys }, at) =>
    desiredObject('user_grant', {
      path: `${path}.grants[${at}]`,
      parent,
      id: userId,
      naturalName: userId,
      fields: { roles: [...roleKeys].sort() },
    }),
  )
  return [parent, ...roles, ...grants, ...desiredApplications(project.applications ?? [], parent)]
}

function instanceObjects({
  features,
  security,
  settings,
  defaultOrganization,
}: BootstrapFile): DesiredObject[] {
  const featureObjects = Object.entries(features ?? {}).map(([name, enabled]) =>
    desiredObject('feature', { path: 'features', id: name, naturalName: name, fields: { enabled } }),
  )
  const setting = desiredObject('setting', {
    path: 'settings',
    id: 'instance',
    naturalName: 'instance',
    fields: { ...settings, ...security, defaultOrganization },
  })
  return [...featureObjects, setting]
}

function desiredApplications(applications: readonly Application[], project: DesiredObject): DesiredObject[] {
  return applications.flatMap((application, at) => {
    const { id, keys = [], clientSecret, ...fields } = application
    const owner = desiredObject('application', {
      path: `${project.path}.applications[${at}]`,
      parent: project,
      id,
      naturalName: application.name,
      fields,
      secrets: { clientSecret },
    })
    const registered = keys.map(({ id: kid, jwk }, keyAt) =>
      desiredObject('application_key', {
        path: `${owner.path}.keys[${keyAt}]`,
        parent: owner,
        id: kid,
        naturalName: kid,
        fields: { jwk },
      }),
    )
    return [owner, ...registered]
  })
}
