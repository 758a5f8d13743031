import { applicationProblems, isPublic } from '../applications/application-rules.ts'
import { passwordProblems } from '../credentials/password-policy.ts'
import type { Outline, OutlineOrganization } from './outline.ts'

/** Rules that concern several members at once. */
export function ruleProblems({ organizations, settings }: Outline): readonly string[] {
  return [
    ...organizations.flatMap((organization, at) => [
      ...passwordRules(organization, `organizations[${at}]`),
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
): string[] {
  return idle !== undefined && absolute !== undefined && idle > absolute
    ? [`${path}: must not be longer than ${end}`]
    : []
}

function passwordRules({ users, passwordComplexityPolicy }: OutlineOrganization, path: string): string[] {
  return users.flatMap(({ password, passwordHash }, at) => {
    const userPath = `${path}.users[${at}]`
    if (password === undefined) return []
    return [
      ...passwordProblems(password, passwordComplexityPolicy).map(
        ({ rule }) => `${userPath}.password: ${rule}`,
      ),
      ...(passwordHash === undefined ? [] : [`${userPath}.passwordHash: give either it or password`]),
    ]
  })
}

function applicationRules({ projects }: OutlineOrganization, path: string): string[] {
  return projects.flatMap(({ applications }, projectAt) =>
    applications.flatMap((application, at) => {
      const applicationPath = `${path}.projects[${projectAt}].applications[${at}]`
      const { clientSecret } = application
      return [
        ...(clientSecret !== undefined && isPublic(application)
          ? [`${applicationPath}.clientSecret: an application with authMethod none has no secret`]
          : []),
        ...applicationProblems(application).map(({ field, rule }) => `${applicationPath}.${field}: ${rule}`),
      ]
    }),
  )
}
