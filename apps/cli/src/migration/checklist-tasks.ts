import { isLoopbackHost } from '@signet/protocol/redirect-uri'
import { shellWord } from '@signet/protocol/refusal-reasons'
import type { ListedValue } from './job-left-out.ts'

// The commands of a checklist do their task as a shell reads them: they hold no place for a value of the reader.

/** The members of an application that list URIs. */
export type UriField = 'redirectUris' | 'postLogoutRedirectUris'

/** The state of an application, as far as tasks are about it. */
export interface ApplicationState extends Readonly<Record<UriField, readonly string[]>> {
  readonly id: string
  readonly projectId: string
  /** The organization of its project. */
  readonly organizationId: string
  /** The domain by which that organization distinguishes a name from the same name in another one. */
  readonly primaryDomain: string
  readonly pkceOptional: boolean
  readonly responseTypes: readonly string[]
  /** Whether a secret was made since the import. */
  readonly hasNewSecret: boolean
  /** Whether a public key is registered. */
  readonly hasKeys: boolean
  /** URIs of requests that were refused in the last week because they are not registered, newest first. */
  readonly refusedUris: Readonly<Record<UriField, readonly string[]>>
  readonly service: ServiceState
}

/** The service user that stands for an application, as far as it exists. */
export interface ServiceState {
  readonly userId?: string
  /** Its grant in the project of the application. */
  readonly grant?: { readonly id: string; readonly roles: readonly string[] }
  /** The keys of the roles that the project has, of those that the list names. */
  readonly knownRoles: readonly string[]
}

/** `unknown`: the management API does not show it. */
export type TaskState = 'done' | 'left' | 'unknown'

/** A task of the list, with the commands that do it. */
export interface ListedTask {
  readonly text: string
  readonly state: TaskState
  readonly commands: readonly string[]
}

/** The user name of the service user that stands for a client, as Keycloak names it. */
export const serviceUserName = (clientId: string): string => `service-account-${clientId}`

/** The member that a task of the kind `redirect-uri` is about. */
export const uriFieldOf = ({ what }: Pick<ListedValue, 'what'>): UriField =>
  /post.?logout|allowed_logout_urls/i.test(what) ? 'postLogoutRedirectUris' : 'redirectUris'

interface TaskPlace {
  readonly text: string
  readonly clientId: string
  readonly application: ApplicationState
}

type TasksByKind = Readonly<
  Record<NonNullable<ListedValue['task']>, (value: ListedValue, place: TaskPlace) => ListedTask>
>

/** A task, checked where the management API shows whether it is done. */
export function taskOf(
  value: ListedValue,
  { application, ...place }: Omit<TaskPlace, 'application'> & { application: ApplicationState | undefined },
): ListedTask {
  const task = value.task && TASKS[value.task]
  if (application === undefined || task === undefined)
    return { text: place.text, state: 'unknown', commands: [] }
  return task(value, { ...place, application })
}

function checked(text: string, isDone: boolean, ...commands: readonly string[]): ListedTask {
  return { text, commands, state: isDone ? 'done' : 'left' }
}

const TASKS: TasksByKind = {
  'redirect-uri'(listed, { text, application }) {
    const field = uriFieldOf(listed)
    const pattern = String(listed.value ?? '*')
    const isDone = application[field].some((uri) => isMeantBy(pattern, uri))
    return checked(text, isDone, ...uriCommands(pattern, field, application))
  },

  secret: (_, { text, application }) =>
    checked(text, application.hasNewSecret, command('application rotate-secret', application.id)),

  key: (_, { text, application }) =>
    checked(text, application.hasKeys, command('application-key create', application.id, '--output', 'json')),

  pkce({ effect }, { text, application: { id, pkceOptional } }) {
    const setting = (value: boolean) => command('application update', id, '--set', `pkceOptional=${value}`)
    if (effect === 'settings') return checked(text, !pkceOptional, setting(false))
    return pkceOptional ? checked(text, true) : { text, state: 'unknown', commands: [setting(true)] }
  },

  'code-flow'(_, { text, application: { id, responseTypes, redirectUris } }) {
    const flow = ['--set', 'responseTypes+=code', '--set', 'grantTypes+=authorization_code']
    if (!responseTypes.includes('code'))
      return checked(text, false, command('application update', id, ...flow))
    if (redirectUris.length === 0) return checked(text, false, refusalsOf(id))
    return { text, state: 'unknown', commands: [] }
  },

  'service-role'({ value }, { text, clientId, application }) {
    const roles = [value].flat().map(String)
    const isDone = roles.every((role) => application.service.grant?.roles.includes(role))
    return checked(text, isDone, ...serviceCommands(roles, clientId, application))
  },
}

const command = (name: string, ...words: readonly string[]) =>
  ['signet', name, ...words.map((word) => (isPlain(word) ? word : shellWord(word)))].join(' ')

/** An assignment that a shell reads as it is written. */
const isPlain = (word: string) => /^[\w.]+\+?=[\w@%+:,./-]+$/.test(word)

/** The command that shows which URI an application sent, and the command that registers it. */
const refusalsOf = (id: string) => command('why', '--application', id)

const MOST_URIS = 3

/**
 * The commands that register what stood for a pattern: a URI that the application has sent since and that the pattern means. Any
 * browser can send a URI in the name of an application, so a pattern without a host proves none.
 */
function uriCommands(
  pattern: string,
  field: UriField,
  { id, refusedUris }: Pick<ApplicationState, 'id' | 'refusedUris'>,
): readonly string[] {
  const sent = namesPlace(pattern)
    ? refusedUris[field].filter((uri) => isWhole(uri) && isMeantBy(pattern, uri)).slice(0, MOST_URIS)
    : []
  if (sent.length === 0) return [refusalsOf(id)]
  return sent.map((uri) => command('application update', id, '--set', `${field}+=${JSON.stringify([uri])}`))
}

/** Whether a pattern begins with a host, or a scheme of an application, without a wildcard. */
const namesPlace = (pattern: string) =>
  /^(https?:\/\/[^/?#*@]+\/|(?!https?:)[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:\/)/i.test(pattern)

/** A refusal keeps a URI shortened, without its query, and without what may be a secret. */
function isWhole(uri: string): boolean {
  if (!URL.canParse(uri) || /[?#]/.test(uri)) return false
  const { href, protocol, hostname } = new URL(uri)
  return href === uri && (protocol !== 'http:' || isLoopbackHost(hostname))
}

/** The commands that give the service user of an application its roles, after those that make what is not there. */
function serviceCommands(
  roles: readonly string[],
  clientId: string,
  { projectId, organizationId, primaryDomain, service: { userId, grant, knownRoles } }: ApplicationState,
): readonly string[] {
  const userName = serviceUserName(clientId)
  const loginName = `${userName}@${primaryDomain}`
  const made = roles.filter((role) => !knownRoles.includes(role))
  const given = JSON.stringify(roles.filter((role) => grant?.roles.includes(role) !== true))
  const set = (field: string, value: string) => ['--set', `${field}=${value}`]
  return [
    ...(userId === undefined
      ? [
          // The access tokens of Keycloak are JWTs.
          command(
            'service-user create',
            ...[...set('organizationId', organizationId), ...set('userName', userName)],
            ...set('accessTokenType', 'jwt'),
          ),
          command('service-user rotate-secret', loginName),
        ]
      : []),
    ...made.map((role) => command('project-role add', projectId, ...set('key', role))),
    grant === undefined
      ? command('user-grant create', projectId, ...set('userId', userId ?? loginName), ...set('roles', given))
      : command('user-grant update', projectId, grant.id, '--set', `roles+=${given}`),
  ]
}

/** A program that waits on a loopback address takes the port that is free (RFC 8252 section 7.3). */
const LOOPBACK_PORT = /^(\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):(?:\d{1,5}|\*)(?=[/?#]|$)/i

/**
 * Whether a URI is one that a pattern of the source stood for: a wildcard, a path, or https in place of http. Without backtracking, since others
 * wrote both.
 */
export function isMeantBy(pattern: string, uri: string): boolean {
  if (/^https:/i.test(pattern) && /^http:/i.test(uri)) return false
  const withoutScheme = (text: string) => text.replace(/^https?:\/\//i, '//').replace(LOOPBACK_PORT, '$1')
  const isPath = /^\/(?!\/)/.test(pattern)
  const place = isPath && URL.canParse(uri) ? uri.slice(new URL(uri).origin.length) : withoutScheme(uri)
  const [first = '', ...others] = withoutScheme(pattern).split('*')
  const last = others.pop()
  if (last === undefined) return place === first
  if (!place.startsWith(first)) return false
  let end = first.length
  for (const part of others) {
    const found = place.indexOf(part, end)
    if (found === -1) return false
    end = found + part.length
  }
  return place.length - last.length >= end && place.endsWith(last)
}
