import type { FileProblem } from '@signet/file-formats/bootstrap/file-problem'
import { normaliseName } from '../credentials/login-name.ts'
import type { Outline, OutlineOrganization } from './outline.ts'

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
  const nameKey = (name: string | undefined) => (name === undefined ? undefined : normaliseName(name))
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
