import { membersOf } from '@signet/protocol/fields/field'
import { ORGANIZATION_FIELDS } from '@signet/protocol/fields/organization'
import { PROJECT_FIELDS } from '@signet/protocol/fields/project'
import { ROLE_FIELDS } from '@signet/protocol/fields/role'
import { SERVICE_USER_FIELDS } from '@signet/protocol/fields/service-user'
import { POLICY_KINDS } from '../organizations/policy-rules.ts'
import type { BootstrapFile } from './bootstrap-file.ts'

type Organization = NonNullable<BootstrapFile['organizations']>[number]
type User = NonNullable<Organization['users']>[number]
type ServiceUser = NonNullable<Organization['serviceUsers']>[number]

/** Every kind of thing that the file can describe, in the order in which they can be written. */
export const OBJECT_KINDS = [
  'organization',
  // Before the policies and passwords that have to keep to it.
  'setting',
  'domain',
  'policy',
  'user',
  'metadata',
  'service_user',
  'personal_access_token',
  'machine_key',
  'issuer_trust',
  'project',
  'project_role',
  'user_grant',
  'application',
  'application_key',
  'application_issuer_trust',
  'identity_provider',
  'feature',
] as const

export type ObjectKind = (typeof OBJECT_KINDS)[number]

export interface DeclaredField {
  readonly name: string
  /** JSON, or undefined when the file says nothing about it. */
  readonly value: unknown
  /**
   * Whether the field is a secret: its fingerprint is keyed, so that the stored fingerprint does not allow guessing
   * it.
   */
  readonly secret: boolean
}

/** Object of the file: its fields, and the key that finds it again at the next start. */
export interface DeclaredResource {
  readonly kind: ObjectKind
  /** How the file names it; stays the same while ids are generated. */
  readonly key: string
  /** Path of the object in the file. */
  readonly path: string
  readonly parent?: DeclaredResource
  /** The id that the file gives, for kinds that have one of their own. */
  readonly id?: string
  readonly fields: readonly DeclaredField[]
  /** Read when it is written; changing it alone changes nothing. */
  readonly outputFile?: string
}

type Details = Pick<DeclaredResource, 'path'> & {
  readonly parent?: DeclaredResource
  readonly id?: string | undefined
  readonly naturalName: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly secrets?: Readonly<Record<string, unknown>>
  readonly outputFile?: string | undefined
}

/** Leaves out what the file does not mention. */
function declaredResource(kind: ObjectKind, details: Details): DeclaredResource {
  const { path, parent, id, naturalName, fields, secrets = {}, outputFile } = details
  const own = id ?? `name:${naturalName}`
  return {
    kind,
    key: parent === undefined ? own : `${parent.key}/${own}`,
    path,
    ...(parent && { parent }),
    ...(id !== undefined && { id }),
    fields: [...fieldList(fields, false), ...fieldList(secrets, true)],
    ...(outputFile !== undefined && { outputFile }),
  }
}

function fieldList(values: Readonly<Record<string, unknown>>, secret: boolean): DeclaredField[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ({ name, value, secret }))
}

/** A valid file as a flat list; the objects that an object needs stand before it. */
export function declaredResources(file: BootstrapFile): readonly DeclaredResource[] {
  const objects = [
    ...(file.organizations ?? []).flatMap((organization, at) =>
      organizationObjects(organization, `organizations[${at}]`),
    ),
    ...instanceObjects(file),
  ]
  const order = (object: DeclaredResource) => OBJECT_KINDS.indexOf(object.kind)
  return objects.sort((a, b) => order(a) - order(b))
}

function organizationObjects(organization: Organization, path: string): DeclaredResource[] {
  const owner = declaredResource('organization', {
    path,
    id: organization.id,
    naturalName: organization.primaryDomain,
    fields: membersOf(ORGANIZATION_FIELDS, organization),
  })
  const policies = Object.entries(POLICY_KINDS).flatMap(([member, kind]) => {
    const document = organization[member as keyof typeof POLICY_KINDS]
    if (document === undefined) return []
    return [
      declaredResource('policy', {
        path: `${path}.${member}`,
        parent: owner,
        id: kind,
        naturalName: kind,
        fields: document,
      }),
    ]
  })
  const domains = (organization.domains ?? []).map(({ domainName, isVerified }, at) =>
    declaredResource('domain', {
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
    ...declaredUsers(organization.users ?? [], owner),
    ...declaredServiceUsers(organization.serviceUsers ?? [], owner),
    ...(organization.projects ?? []).flatMap((project, at) =>
      projectObjects(project, owner, `${path}.projects[${at}]`),
    ),
    ...(organization.identityProviders ?? []).map(({ id, clientSecret, ...fields }, at) =>
      declaredResource('identity_provider', {
        path: `${path}.identityProviders[${at}]`,
        parent: owner,
        id,
        naturalName: id,
        fields,
        secrets: { clientSecret },
      }),
    ),
  ]
}

type Project = NonNullable<Organization['projects']>[number]
type Application = NonNullable<Project['applications']>[number]

function projectObjects(project: Project, organization: DeclaredResource, path: string): DeclaredResource[] {
  const parent = declaredResource('project', {
    path,
    parent: organization,
    id: project.id,
    naturalName: project.name,
    fields: membersOf(PROJECT_FIELDS, project),
  })
  const roles = (project.roles ?? []).map(({ key, ...role }, at) =>
    declaredResource('project_role', {
      path: `${path}.roles[${at}]`,
      parent,
      id: key,
      naturalName: key,
      fields: { ...membersOf(ROLE_FIELDS, role), displayName: role.displayName ?? key },
    }),
  )
  const grants = (project.grants ?? []).map(({ userId, roles: roleKeys }, at) =>
    declaredResource('user_grant', {
      path: `${path}.grants[${at}]`,
      parent,
      id: userId,
      naturalName: userId,
      fields: { roles: [...roleKeys].sort() },
    }),
  )
  return [parent, ...roles, ...grants, ...declaredApplications(project.applications ?? [], parent)]
}

function instanceObjects({
  features,
  security,
  settings,
  defaultOrganization,
}: BootstrapFile): DeclaredResource[] {
  const featureObjects = Object.entries(features ?? {}).map(([name, enabled]) =>
    declaredResource('feature', { path: 'features', id: name, naturalName: name, fields: { enabled } }),
  )
  const setting = declaredResource('setting', {
    path: 'settings',
    id: 'instance',
    naturalName: 'instance',
    fields: { ...settings, ...security, defaultOrganization },
  })
  return [...featureObjects, setting]
}

function declaredApplications(
  applications: readonly Application[],
  project: DeclaredResource,
): DeclaredResource[] {
  return applications.flatMap((application, at) => {
    const { id, keys = [], trustedIssuers, clientSecret, ...fields } = application
    const owner = declaredResource('application', {
      path: `${project.path}.applications[${at}]`,
      parent: project,
      id,
      naturalName: application.name,
      fields,
      secrets: { clientSecret },
    })
    const registered = keys.map(({ id: kid, jwk }, keyAt) =>
      declaredResource('application_key', {
        path: `${owner.path}.keys[${keyAt}]`,
        parent: owner,
        id: kid,
        naturalName: kid,
        fields: { jwk },
      }),
    )
    return [owner, ...registered, ...declaredTrusts('application_issuer_trust', trustedIssuers, owner)]
  })
}

function declaredUsers(users: readonly User[], organization: DeclaredResource): DeclaredResource[] {
  return users.flatMap((user, at) => {
    const { id, userName, profile, email, phone, address, state, roles, password, passwordHash, totpSecret } =
      user
    const owner = declaredResource('user', {
      path: `${organization.path}.users[${at}]`,
      parent: organization,
      id,
      naturalName: userName,
      fields: {
        userName,
        ...profile,
        displayName: profile.displayName ?? `${profile.givenName} ${profile.familyName}`.slice(0, 200),
        email,
        phone,
        ...address,
        state,
        roles: roles && [...roles].sort(),
        passwordChangeRequired: user.passwordChangeRequired,
      },
      secrets: { password, passwordHash, totpSecret },
    })
    const metadata = Object.entries(user.metadata ?? {}).map(([key, value]) =>
      declaredResource('metadata', {
        path: `${owner.path}.metadata.${key}`,
        parent: owner,
        id: key,
        naturalName: key,
        fields: { value },
      }),
    )
    return [owner, ...metadata]
  })
}

function declaredServiceUsers(
  serviceUsers: readonly ServiceUser[],
  organization: DeclaredResource,
): DeclaredResource[] {
  return serviceUsers.flatMap((serviceUser, at) => {
    const { id, userName, name, roles, clientSecret } = serviceUser
    const owner = declaredResource('service_user', {
      path: `${organization.path}.serviceUsers[${at}]`,
      parent: organization,
      id,
      naturalName: userName,
      fields: {
        userName,
        displayName: name ?? userName,
        ...membersOf(SERVICE_USER_FIELDS, serviceUser),
        roles: roles && [...roles].sort(),
      },
      secrets: { clientSecret },
    })
    const tokens = (serviceUser.personalAccessTokens ?? []).map((token, tokenAt) =>
      declaredResource('personal_access_token', {
        path: `${owner.path}.personalAccessTokens[${tokenAt}]`,
        parent: owner,
        id: token.id,
        naturalName: token.id,
        fields: { expiresAt: token.expiresAt },
        // Null stands for "generate one": it acts once, like a value of the file.
        secrets: { token: token.token ?? null },
        outputFile: token.outputFile,
      }),
    )
    const keys = (serviceUser.keys ?? []).map(({ id: kid, jwk }, keyAt) =>
      declaredResource('machine_key', {
        path: `${owner.path}.keys[${keyAt}]`,
        parent: owner,
        id: kid,
        naturalName: kid,
        fields: { jwk },
      }),
    )
    const trusts = declaredTrusts('issuer_trust', serviceUser.trustedIssuers, owner)
    return [owner, ...tokens, ...keys, ...trusts]
  })
}

function declaredTrusts(
  kind: 'issuer_trust' | 'application_issuer_trust',
  trusts: ServiceUser['trustedIssuers'],
  owner: DeclaredResource,
): DeclaredResource[] {
  return (trusts ?? []).map(({ id, ...fields }, at) =>
    declaredResource(kind, {
      path: `${owner.path}.trustedIssuers[${at}]`,
      parent: owner,
      id,
      naturalName: id,
      fields,
    }),
  )
}
