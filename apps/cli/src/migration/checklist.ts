import { onOneLine } from '../output.ts'
import { type ApplicationState, type ListedTask, type TaskState, taskOf } from './checklist-tasks.ts'
import type { ListedValue } from './job-left-out.ts'

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

/**
 * The lines about what is left to do after an import: for each application what prevents a sign-in, what changes claims, and
 * its settings as one line; then the people. An application without a state does not exist. No text of a foreign file looks like a
 * line of its own, or like a command.
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
      `${/^\S+$/.test(clientId) ? clientId : JSON.stringify(clientId)}: ${done} of ${tasks.length} done`,
      ...tasks.flatMap(({ text, state, commands }) => [
        `  ${MARKS[state]} ${text}`,
        ...(state === 'done' || !commands.every(isPrinted) ? [] : commands.map((line) => `      ${line}`)),
      ]),
      ...(settings.length === 0 ? [] : [`  settings without a counterpart: ${someOf(settings)}`]),
    ]
  })
  const { done, left, unknown } = counted
  return [
    ...lines,
    ...peopleLines(listed),
    `tasks of applications: ${done} done, ${left} left, ${unknown} that only the application shows`,
  ].map(onOneLine)
}

/** Whether a terminal shows a command as it is: the file of another provider wrote some of its words. */
const isPrinted = (command: string) => onOneLine(command) === command

function tasksOf(
  listed: readonly ListedValue[],
  clientId: string,
  application: ApplicationState | undefined,
): readonly ListedTask[] {
  const tasks = new Map<string, ListedTask>()
  for (const effect of EFFECTS)
    for (const value of withRolesTogether(listed)) {
      if (value.effect !== effect || !isTask(value)) continue
      const text = value.next ?? value.what
      if (!tasks.has(text)) tasks.set(text, taskOf(value, { text, clientId, application }))
    }
  return [...tasks.values()]
}

/** The roles of a service user as one value: the commands for each of them would make the same user. */
function withRolesTogether(listed: readonly ListedValue[]): readonly ListedValue[] {
  const [first, ...others] = listed.filter(({ task }) => task === 'service-role')
  if (first === undefined || others.length === 0) return listed
  const value = [...new Set([first, ...others].map((role) => String(role.value)))]
  const next = `make a service user for what it does without a person, and give it the roles ${value.join(', ')}`
  return [...listed.filter(({ task }) => task !== 'service-role'), { ...first, value, next }]
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
