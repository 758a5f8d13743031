import { ConfigurationError } from '@signet/platform/config/settings'
import { startProblems } from '@signet/platform/process/run-service'
import { ManagementApiError, SuiteUnreachable } from './api/errors.ts'
import { OPERATIONS } from './api/gen/operations.ts'
import { commandWords, type Operation } from './api/operation.ts'

/** The exit codes that a script can tell apart, with what each means. */
export const EXITS = {
  done: { code: 0, meaning: 'done' },
  localError: { code: 1, meaning: 'local error' },
  usage: { code: 2, meaning: 'unknown command, argument or option' },
  notSignedIn: { code: 3, meaning: 'not signed in, or the sign-in has ended: sign in again' },
  roleMissing: { code: 4, meaning: 'a role is missing' },
  notFound: { code: 5, meaning: 'the object does not exist' },
  conflict: {
    code: 6,
    meaning: 'conflict with an object that exists, or the object changed since it was read',
  },
  refused: { code: 7, meaning: 'the input is refused' },
  unavailable: { code: 8, meaning: 'the suite cannot be reached, or cannot answer now: try again' },
  objectsFailed: { code: 9, meaning: 'a job ended, and some of its objects failed' },
  jobNotDone: { code: 10, meaning: 'a job failed, was cancelled or timed out' },
  differences: { code: 11, meaning: 'a dry run found differences, or a sign-in of a rehearsal would fail' },
  findings: { code: 12, meaning: 'the doctor found something to look at, or a rule refuses a sign-in' },
  notConfirmed: { code: 13, meaning: 'the question was not answered with yes' },
  auditLogChanged: { code: 14, meaning: 'the audit log is not as it was sealed' },
} as const

export type Exit = keyof typeof EXITS

const BY_STATUS: Readonly<Record<number, Exit>> = {
  401: 'notSignedIn',
  403: 'roleMissing',
  404: 'notFound',
  409: 'conflict',
  412: 'conflict',
  422: 'conflict',
  429: 'unavailable',
}

/** Ends the command with the exit code of `exit`. Its message says what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: number

  constructor(exit: Exit, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = EXITS[exit].code
  }
}

/** A command, an argument or an option that does not exist, or a value that it does not take. */
export class UsageError extends CommandError {
  constructor(message: string, options?: ErrorOptions) {
    super('usage', message, options)
  }
}

/** A file that is refused; each problem names a path in it. */
export class InvalidFile extends ConfigurationError {}

/** The exit code of a command that threw `error`. */
export function exitCodeOf(error: unknown): number {
  return error instanceof CommandError ? error.exitCode : EXITS[exitOf(error)].code
}

function exitOf(error: unknown): Exit {
  if (error instanceof InvalidFile) return 'refused'
  if (error instanceof SuiteUnreachable) return 'unavailable'
  if (error instanceof ManagementApiError)
    return BY_STATUS[error.status] ?? (error.status < 500 ? 'refused' : 'unavailable')
  return 'localError'
}

/** A line for each problem; a stack only for a defect of the command. */
export function errorLines(error: unknown): readonly string[] {
  if (error instanceof CommandError || error instanceof SuiteUnreachable) return [error.message]
  if (!(error instanceof ManagementApiError)) return startProblems(error)
  const { message, status, requestId, acrValues } = error
  // Only errors that the caller cannot explain are looked up in the logs.
  const where = status >= 500 && requestId !== undefined ? `, request ${requestId}` : ''
  const login =
    status === 401 && acrValues === undefined
      ? '; sign in again with signet login, or give another SIGNET_TOKEN'
      : ''
  return [`${message} (${status}${where})${login}${listOfUnknown(error)}`]
}

/** `; signet application list shows them` for an application that does not exist. */
function listOfUnknown({ status, details }: ManagementApiError): string {
  const [, kind] = /^(\w+)_unknown$/.exec((status === 404 && details[0]?.id) || '') ?? []
  const list: Operation | undefined = Object.values(OPERATIONS).find(({ id }) => id === `${kind}.list`)
  // Some kinds are in lists of several objects: keys of a user and keys of an application.
  const isOfInstance = list?.parameters.every(({ in: place }) => place !== 'path')
  return list !== undefined && isOfInstance ? `; signet ${commandWords(list.id)} shows them` : ''
}
