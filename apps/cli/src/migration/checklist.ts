import type { ListedValue } from './job-left-out.ts'

/** The state of an application, as far as tasks are about it. */
export interface ApplicationState {
  readonly id: string
  readonly projectId: string
  readonly pkceOptional: boolean
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
  /** Whether a secret was made since the import. */
  readonly hasNewSecret: boolean
  /** The keys of the roles that its service user has in its project. */
  readonly serviceRoles: readonly string[]
}

/** `unknown`: the management API does not show it. */
type TaskState = 'done' | 'left' | 'unknown'

/** A task of the list, with the commands that do it. */
interface ListedTask {
  readonly text: string
  readonly state: TaskState
  readonly commands: readonly string[]
}

const EFFECTS: readonly ListedValue['effect'][] = ['sign-in', 'claims', 'settings']
const MARKS: Readonly<Record<TaskState, string>> = { done: '[x]', left: '[ ]', unknown: '[?]' }
const MOST_SETTINGS = 10

/** Settings without a next step stand in one line and are no tasks. */
const isTask = ({ effect, next }: ListedValue) => effect !== 'settings' || next !== undefined

/** The client ids of the applications of a list; those that cannot sign people in come first. */
export function applicationsOf(listed: readonly ListedValue[]): readonly string[] {
  const rank = new Map<string, number>()
  for (const value of listed) {
    const { about, effect, record } = value

    if (about !== 'application' || record === undefined || !isTask(value)) continue
    rank.set(record, Math.min(rank.get(record) ?? EFFECTS.length, EFFECTS.indexOf(effect)))
  }
  return [...rank].sort(([, a], [, b]) => a - b).map(([clientId]) => clientId)
}

/** The user name of the service user that stands for a client, as Keycloak names it. */
export const serviceUserName = (clientId: string): string => `service-account-${clientId}`

/**
 * The lines about what is left to do after an import: for each application what prevents a sign-in, what changes claims, and
 * its settings as one line; then the people. An application without a state does not exist.
 */
export function checklistLines(
  listed: readonly ListedValue[],
  states: ReadonlyMap<string, ApplicationState>,
): readonly string[] {
  const counted: Record<TaskState, number> = { done: 0, left: 0, unknown: 0 }
  const lines = applicationsOf(listed).flatMap((clientId) => {
    const own = listed.filter(({ about, record }) => about === 'application' && record === clientId)
    const tasks = tasksOf(own, clientId, states.get(clientId))
    for (const { state } of tasks) counted[state] += 1
    const done = tasks.filter(({ state }) => state === 'done').length
    const settings = [...new Set(own.flatMap((value) => (isTask(value) ? [] : [value.what])))]
    return [
      `${clientId}: ${done} of ${tasks.length} done`,
      ...tasks.flatMap(({ text, state, commands }) => [
        `  ${MARKS[state]} ${text}`,
        ...(state === 'done' ? [] : commands.map((command) => `      ${command}`)),
      ]),
      ...(settings.length === 0 ? [] : [`  settings without a counterpart: ${someOf(settings)}`]),
    ]
  })
  const { done, left, unknown } = counted
  return [
    ...lines,
    ...peopleLines(listed),
    `tasks of applications: ${done} done, ${left} left, ${unknown} that only the application shows`,
  ]
}

function tasksOf(
  listed: readonly ListedValue[],
  clientId: string,
  application: ApplicationState | undefined,
): readonly ListedTask[] {
  const tasks = new Map<string, ListedTask>()
  for (const effect of EFFECTS)
    for (const value of listed) {
      if (value.effect !== effect || !isTask(value)) continue
      const text = value.next ?? value.what
      if (!tasks.has(text)) tasks.set(text, taskOf(value, { text, clientId, application }))
    }
  return [...tasks.values()]
}

/** A task, checked where the management API shows whether it is done. */
function taskOf(
  { task, what, value }: ListedValue,
  {
    text,
    clientId,
    application,
  }: {
    readonly text: string
    readonly clientId: string
    readonly application: ApplicationState | undefined
  },
): ListedTask {
  if (application === undefined) return { text, state: 'unknown', commands: [] }
  const { id, projectId, pkceOptional, hasNewSecret, serviceRoles } = application
  const checked = (isDone: boolean, ...commands: string[]): ListedTask => ({
    text,
    commands,
    state: isDone ? 'done' : 'left',
  })
  switch (task) {
    case 'redirect-uri': {
      const field = /post.?logout|allowed_logout_urls/i.test(what) ? 'postLogoutRedirectUris' : 'redirectUris'
      const isDone = application[field].some((uri) => isMeantBy(String(value ?? '*'), uri))
      return checked(isDone, `signet application update ${id} --set ${field}+=URI`)
    }
    case 'secret':
      return checked(hasNewSecret, `signet application rotate-secret ${id}`)
    case 'pkce':
      return pkceOptional
        ? checked(false, `signet application update ${id} --set pkceOptional=false`)
        : { text, state: what.includes('may go on') ? 'done' : 'unknown', commands: [] }
    case 'service-role':
      return checked(
        serviceRoles.includes(String(value)),
        `signet service-user create --set organizationId=ORGANIZATION --set userName=${serviceUserName(clientId)}`,
        `signet user-grant create ${projectId} --set userId=USER --set 'roles=${JSON.stringify([value])}'`,
      )
    default:
      return { text, state: 'unknown', commands: [] }
  }
}

/** Whether a URI is one that a pattern of the source stood for: a wildcard, a path, or another scheme of the same place. */
export function isMeantBy(pattern: string, uri: string): boolean {
  const withoutScheme = (text: string) => text.replace(/^https?:\/\//i, '//')
  const parts = withoutScheme(pattern)
    .split('*')
    .map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
  const isPath = /^\/(?!\/)/.test(pattern)
  const place = isPath && URL.canParse(uri) ? uri.slice(new URL(uri).origin.length) : withoutScheme(uri)
  return new RegExp(`^${parts.join('.*')}$`).test(place)
}

/** A line for each task of people, with their number. */
function peopleLines(listed: readonly ListedValue[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { about, effect, next, count = 1 } of listed) {
    if (about !== 'person' || effect !== 'sign-in' || next === undefined) continue
    counts.set(next, (counts.get(next) ?? 0) + count)
  }
  const lines = [...counts].map(([task, count]) => `  ${count} times: ${task}`)
  return lines.length === 0 ? [] : ['people who cannot sign in as before:', ...lines]
}

const someOf = (texts: readonly string[]) =>
  `${texts.slice(0, MOST_SETTINGS).join(', ')}${texts.length > MOST_SETTINGS ? ', …' : ''}`
