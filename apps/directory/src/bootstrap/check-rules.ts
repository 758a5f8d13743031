import { isLoopbackHost } from '@signet/service-runtime/loopback-host'
import { passwordProblems } from '../credentials/password-policy.ts'
import type { Outline, OutlineApplication, OutlineOrganization } from './outline.ts'

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
      const { clientSecret, type, authMethod } = application
      return [
        ...(clientSecret !== undefined && isPublic(type, authMethod)
          ? [`${applicationPath}.clientSecret: an application with authMethod none has no secret`]
          : []),
        ...(type === 'api' && (authMethod === 'none' || authMethod === 'client_secret_post')
          ? [`${applicationPath}.authMethod: an api application uses client_secret_basic or private_key_jwt`]
          : []),
        ...uriRules(application, 'redirectUris', applicationPath),
        ...uriRules(application, 'postLogoutRedirectUris', applicationPath),
      ]
    }),
  )
}

function isPublic(type: string | undefined, authMethod: string | undefined): boolean {
  return authMethod === 'none' || (authMethod === undefined && (type === 'userAgent' || type === 'native'))
}

function uriRules(
  application: OutlineApplication,
  member: 'redirectUris' | 'postLogoutRedirectUris',
  path: string,
): string[] {
  return application[member].flatMap((uri, at) => {
    const problem = URL.canParse(uri) ? schemeProblem(application, new URL(uri)) : undefined
    return problem === undefined ? [] : [`${path}.${member}[${at}]: ${problem}`]
  })
}

/** RFC 8252 sections 7 and 8.4; http is for loopback, for development and for servers that hold a secret. */
function schemeProblem(
  { type, authMethod, devMode }: OutlineApplication,
  { protocol, hostname }: URL,
): string | undefined {
  if (type === 'api') return 'an api application takes part in no sign-in and has none'
  if (protocol === 'https:') return undefined
  if (protocol !== 'http:') {
    return type === 'native' ? undefined : 'only native applications may use a scheme of their own'
  }
  const confidentialWeb = type === 'web' && !isPublic(type, authMethod)
  return devMode || confidentialWeb || isLoopbackHost(hostname)
    ? undefined
    : 'must use https; http is for loopback hosts and devMode'
}
