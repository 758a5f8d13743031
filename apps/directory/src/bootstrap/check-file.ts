import type { FileProblem } from '@signet/file-formats/bootstrap/bootstrap-file'
import { userNameKey } from '@signet/protocol/user-name'
import { applicationProblems, isPublic } from '../applications/application-rules.ts'
import { passwordProblems } from '../credentials/password-policy.ts'
import { brokenFloors, brokenTogether } from '../organizations/policy-rules.ts'
import type { Outline, OutlineOrganization } from './outline.ts'

/** Rules that concern several members at once. */
export function ruleProblems({ organizations, settings }: Outline): readonly FileProblem[] {
  return [
    ...organizations.flatMap((organization, at) => [
      ...passwordRules(organization, settings, `organizations[${at}]`),
      ...floorRules(organization, settings, `organizations[${at}]`),
      ...rulesOfMembersTogether(organization, `organizations[${at}]`),
      ...applicationRules(organization, `organizations[${at}]`),
    ]),
    ...notLonger('settings.refreshIdle', settings?.refreshIdle, 'refreshAbsolute', settings?.refreshAbsolute),
    ...notLonger('settings.sessionIdle', settings?.sessionIdle, 'sessionAbsolute', settings?.sessionAbsolute),
  ]
}

function notLonger(
  path: string,
  idle: number | undefined,
  end: string,
  absolute: number | undefined,
): FileProblem[] {
  return idle !== undefined && absolute !== undefined && idle > absolute
    ? [{ path, rule: `must not be longer than ${end}` }]
    : []
}

/** Returns the floor rules by the settings of the file; those of the instance are checked when a policy is written. */
function floorRules(
  { passwordComplexityPolicy = {}, lockoutPolicy = {} }: OutlineOrganization,
  settings: Outline['settings'],
  path: string,
): FileProblem[] {
  return Object.entries({ passwordComplexityPolicy, lockoutPolicy }).flatMap(([policy, document]) =>
    brokenFloors(policy as 'passwordComplexityPolicy' | 'lockoutPolicy', document, settings ?? {}).map(
      ({ member, rule }) => ({ path: `${path}.${policy}.${member}`, rule }),
    ),
  )
}

/** Checks rules that concern several members of the file; stored members are checked when the policy is written. */
function rulesOfMembersTogether(organization: OutlineOrganization, path: string): FileProblem[] {
  return (['labelPolicy', 'privacyPolicy'] as const).flatMap((policy) =>
    brokenTogether(policy, organization[policy] ?? {}).map(({ member, rule }) => ({
      path: `${path}.${policy}.${member}`,
      rule,
    })),
  )
}

function passwordRules(
  { users, passwordComplexityPolicy }: OutlineOrganization,
  settings: Outline['settings'],
  path: string,
): FileProblem[] {
  const minLength = passwordComplexityPolicy?.minLength ?? settings?.passwordMinLength
  const complexity = { ...passwordComplexityPolicy, ...(minLength !== undefined && { minLength }) }
  return users.flatMap(({ password, passwordHash }, at) => {
    const userPath = `${path}.users[${at}]`
    if (password === undefined) return []
    return [
      ...passwordProblems(password, complexity).map(({ rule }) => ({
        path: `${userPath}.password`,
        rule,
      })),
      ...(passwordHash === undefined
        ? []
        : [{ path: `${userPath}.passwordHash`, rule: 'give either it or password' }]),
    ]
  })
}

function applicationRules({ projects }: OutlineOrganization, path: string): FileProblem[] {
  return projects.flatMap(({ applications }, projectAt) =>
    applications.flatMap((application, at) => {
      const applicationPath = `${path}.projects[${projectAt}].applications[${at}]`
      const { clientSecret } = application
      return [
        ...(clientSecret !== undefined && isPublic(application)
          ? [
              {
                path: `${applicationPath}.clientSecret`,
                rule: 'an application with authMethod none has no secret',
              },
            ]
          : []),
        ...applicationProblems(application).map(({ field, rule }) => ({
          path: `${applicationPath}.${field}`,
          rule,
        })),
      ]
    }),
  )
}

/** Names the second and every later use of what may be used once, with the path of the first. */
export function duplicateProblems({ organizations }: Outline): readonly FileProblem[] {
  const problems: FileProblem[] = []
  const once = (what: string) => {
    const uses = new Map<string, string>()
    return (value: string | undefined, path: string) => {
      if (value === undefined) return
      const first = uses.get(value)
      if (first === undefined) uses.set(value, path)
      else problems.push({ path, rule: `the ${what} ${value} is already used at ${first}` })
    }
  }
  const organizationId = once('organization id')
  const domain = once('domain')
  const principal = once('id')
  const projectId = once('project id')
  const applicationId = once('application id')

  organizations.forEach((organization, index) => {
    const path = `organizations[${index}]`
    organizationId(organization.id, `${path}.id`)
    domain(organization.primaryDomain?.toLowerCase(), `${path}.primaryDomain`)
    checkPeople(organization, path, principal, once)
    organization.projects.forEach((project, projectIndex) => {
      const projectPath = `${path}.projects[${projectIndex}]`
      const roleKey = once('role key')
      const grantee = once('user id')
      projectId(project.id, `${projectPath}.id`)
      project.roles.forEach((role, at) => void roleKey(role.key, `${projectPath}.roles[${at}].key`))
      project.grants.forEach((grant, at) => void grantee(grant.userId, `${projectPath}.grants[${at}].userId`))
      project.applications.forEach((application, at) => {
        const applicationPath = `${projectPath}.applications[${at}]`
        const kid = once('key id')
        applicationId(application.id, `${applicationPath}.id`)
        principal(application.clientId, `${applicationPath}.clientId`)
        application.keys.forEach((key, keyAt) => void kid(key.id, `${applicationPath}.keys[${keyAt}].id`))
      })
    })
  })
  return problems
}

type Use = (value: string | undefined, path: string) => void

function checkPeople(
  organization: OutlineOrganization,
  path: string,
  principal: Use,
  once: (what: string) => Use,
): void {
  const userName = once('user name')
  const nameKey = (name: string | undefined) => (name === undefined ? undefined : userNameKey(name))
  organization.users.forEach((user, at) => {
    principal(user.id, `${path}.users[${at}].id`)
    userName(nameKey(user.userName), `${path}.users[${at}].userName`)
  })
  organization.serviceUsers.forEach((serviceUser, at) => {
    const userPath = `${path}.serviceUsers[${at}]`
    const tokenId = once('token id')
    const kid = once('key id')
    principal(serviceUser.id, `${userPath}.id`)
    // A service user may use one id as user id and client_id.
    if (serviceUser.clientId !== serviceUser.id) principal(serviceUser.clientId, `${userPath}.clientId`)
    userName(nameKey(serviceUser.userName), `${userPath}.userName`)
    serviceUser.personalAccessTokens.forEach(
      (token, tokenAt) => void tokenId(token.id, `${userPath}.personalAccessTokens[${tokenAt}].id`),
    )
    serviceUser.keys.forEach((key, keyAt) => void kid(key.id, `${userPath}.keys[${keyAt}].id`))
  })
}

/** Object that the file mentions but does not define; it may exist in the database. */
export type Reference =
  | { readonly kind: 'organization'; readonly id: string; readonly path: string }
  | { readonly kind: 'user'; readonly id: string; readonly path: string }
  | {
      readonly kind: 'project_role'
      readonly id: string
      readonly projectId: string | undefined
      readonly path: string
    }

export function openReferences({ organizations, defaultOrganization }: Outline): readonly Reference[] {
  const organizationIds = new Set(organizations.map(({ id }) => id))
  const userIds = new Set(
    organizations.flatMap(({ users, serviceUsers }) => [...users, ...serviceUsers].map(({ id }) => id)),
  )
  const open: Reference[] = []
  if (defaultOrganization !== undefined && !organizationIds.has(defaultOrganization)) {
    open.push({ kind: 'organization', id: defaultOrganization, path: 'defaultOrganization' })
  }
  organizations.forEach((organization, at) => {
    organization.projects.forEach((project, projectAt) => {
      const roleKeys = new Set(project.roles.map(({ key }) => key))
      project.grants.forEach((grant, grantAt) => {
        const path = `organizations[${at}].projects[${projectAt}].grants[${grantAt}]`
        if (grant.userId !== undefined && !userIds.has(grant.userId)) {
          open.push({ kind: 'user', id: grant.userId, path: `${path}.userId` })
        }
        grant.roles.forEach((key, roleAt) => {
          if (roleKeys.has(key)) return
          open.push({
            kind: 'project_role',
            id: key,
            projectId: project.id,
            path: `${path}.roles[${roleAt}]`,
          })
        })
      })
    })
  })
  return open
}

export function referenceProblem(reference: Reference): FileProblem {
  const what = { organization: 'organization', user: 'user', project_role: 'role of this project' }[
    reference.kind
  ]
  const rule = `there is no ${what} ${reference.id}, neither in the file nor in the database`
  return { path: reference.path, rule }
}
