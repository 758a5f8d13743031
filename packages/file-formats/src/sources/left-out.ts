import { isPlaceholder } from '@signet/protocol/placeholder'
import { adviceFor, type Effect, type Subject, type Task } from './left-out-advice.ts'

/** A kind of values that have no counterpart. */
export interface LeftOutKind {
  readonly kind: string
  readonly effect: Effect
  readonly count: number
  readonly examples: readonly string[]
}

/** A value that a conversion or an import leaves out or changes. */
export interface LeftOutValue {
  readonly effect: Effect
  /** The kind of object that it belongs to. */
  readonly about: Subject
  /** The kind that it is counted under. */
  readonly what: string
  /** The name that people know the record by: a client id, a user name. */
  readonly record?: string | undefined
  /** Absent where it may be a secret. */
  readonly value?: unknown
  /** The task that makes up for it. */
  readonly next?: string | undefined
  /** The task as a word for programs. */
  readonly task?: Task | undefined
  /** How many values of this kind it stands for; 1 unless given. */
  readonly count?: number | undefined
}

/** The tasks of the owner of an application after the import. */
export interface ApplicationTask {
  readonly application: string
  readonly tasks: readonly string[]
}

const MOST_KINDS = 2_000
const MOST_EXAMPLES = 3
const MOST_APPLICATIONS = 5_000
const MOST_TASKS = 20
const LONGEST_VALUE = 2_000

/**
 * Counts what a conversion leaves out, and passes each value on to `onValue`. Its texts are printable: a file cannot send
 * control characters to a terminal.
 */
export class LeftOut {
  readonly #kinds = new Map<string, { effect: Effect; count: number; examples: string[] }>()
  readonly #tasks = new Map<string, Set<string>>()
  readonly #onValue: ((value: LeftOutValue) => void) | undefined

  constructor(onValue?: (value: LeftOutValue) => void) {
    this.#onValue = onValue
  }

  /** `example` is the name or id of a record, never a secret. `value` is passed on unless it can be a secret. */
  add(kind: string, example: string, value?: unknown): void {
    this.addValue(leftOutValue(kind, example, value))
  }

  addValue(value: LeftOutValue): void {
    const { effect, about, what, record = '', next, count = 1 } = value
    const isKnown = this.#kinds.has(what) || this.#kinds.size < MOST_KINDS
    const name = isKnown ? what : 'members of other names'
    const known = this.#kinds.get(name) ?? { effect, count: 0, examples: [] }
    known.count += count
    if (known.examples.length < MOST_EXAMPLES && record !== '' && !known.examples.includes(record)) {
      known.examples.push(record)
    }
    this.#kinds.set(name, known)
    if (next !== undefined && about === 'application' && record !== '') this.#addTask(record, next)
    this.#onValue?.(value)
  }

  kinds(): readonly LeftOutKind[] {
    return [...this.#kinds].map(([kind, counted]) => ({ kind, ...counted }))
  }

  /** The applications whose owners have something to do, in the order of the source. */
  tasks(): readonly ApplicationTask[] {
    return [...this.#tasks].map(([application, tasks]) => ({ application, tasks: [...tasks] }))
  }

  #addTask(application: string, task: string): void {
    const isKnown = this.#tasks.has(application)
    if (!isKnown && this.#tasks.size >= MOST_APPLICATIONS) return
    const tasks = this.#tasks.get(application) ?? new Set()
    if (tasks.size < MOST_TASKS) tasks.add(task)
    this.#tasks.set(application, tasks)
  }
}

/** An entry of the list, with its effect and its task. Its texts are printable. */
export function leftOutValue(kind: string, example: string, value?: unknown): LeftOutValue {
  const what = printable(kind)
  const record = printable(example)
  const { effect, about, task, next: say } = adviceFor(what)
  const shown = shownValue(kind, value)
  const next = say?.(shown === undefined ? undefined : printable(textOf(shown)))
  return {
    effect,
    about,
    what,
    ...(record !== '' && { record }),
    ...(shown !== undefined && { value: shown }),
    ...(next !== undefined && { next }),
    ...(task !== undefined && { task }),
  }
}

/** The text without control characters, and at most 300 characters of it. */
export const printable = (text: string): string => text.slice(0, 300).replace(/[^\x20-\x7e\xa1-\u02ff]/g, '?')

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** Names of members that can hold secrets or what leads to them, in any spelling of any product. */
const SECRET_NAME =
  /secret|passw|credential|hash|salt|otp|seed|certificate|private|api.?key|access.?key|token$/i

function shownValue(kind: string, value: unknown): unknown {
  if (value === undefined || SECRET_NAME.test(kind) || isPlaceholder(value)) return undefined
  const text = JSON.stringify(value)
  return text.length > LONGEST_VALUE || namesSecret(value) ? undefined : value
}

const namesSecret = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(
    ([name, part]) => (!Array.isArray(value) && SECRET_NAME.test(name)) || namesSecret(part),
  )
