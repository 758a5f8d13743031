import type { FileProblem } from '@signet/file-formats/bootstrap/file-problem'
import { applicationProblems, isPublic } from '../applications/application-rules.ts'
import { passwordProblems } from '../credentials/password-policy.ts'
import { brokenFloors } from '../organizations/policy-floors.ts'
import type { Outline, OutlineOrganization } from './outline.ts'

/** Rules that concern several members at once. */
export function ruleProblems({ organizations, settings }: Outline): readonly FileProblem[] {
  return [
    ...organizations.flatMap((organization, at) => [
      ...passwordRules(organization, settings, `organizations[${at}]`),
      ...floorRules(organization, settings, `organizations[${at}]`),
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

/** By the settings of the file; those of the instance are looked at when a policy is written. */
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
