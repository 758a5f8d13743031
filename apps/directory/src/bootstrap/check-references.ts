import type { FileProblem } from '@signet/file-formats/bootstrap/file-problem'
import type { Outline } from './outline.ts'

/** Something that the file mentions but does not define; it may exist in the database. */
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
