import { ConfigurationError } from '@signet/platform/config/settings'
import { startProblems } from '@signet/platform/process/run-service'
import { ManagementApiError, SuiteUnreachable } from './api/errors.ts'
import { OPERATIONS } from './api/gen/operations.ts'
import { commandWords, type Operation } from './api/operation.ts'

/** The exit codes that a script can tell apart. */
export const EXIT_CODES = {
  0: 'done',
  1: 'something on this machine is in the way',
  2: 'the command was written wrongly',
  3: 'who calls is not known: sign in again',
  4: 'a role is missing',
  5: 'there is no such object',
  6: 'in conflict with what there is, or changed since it was read',
  7: 'the input is refused',
  8: 'the suite cannot be reached, or cannot answer now: try again',
  9: 'a job ended, and some of its objects failed',
  10: 'a job did not get to its end',
  11: 'a dry run found differences, or a sign-in of a rehearsal would fail',
  12: 'the doctor found something to look at',
  13: 'the question was not answered with yes',
  14: 'the audit log is not as it was sealed',
} as const

export type ExitCode = keyof typeof EXIT_CODES

const BY_STATUS: Readonly<Record<number, ExitCode>> = {
  401: 3,
  403: 4,
  404: 5,
  409: 6,
  412: 6,
  422: 6,
  429: 8,
}

/** Ends the command with `exitCode`. Its message says what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** The command was written wrongly. */
export class UsageError extends CommandError {
  constructor(message: string, options?: ErrorOptions) {
    super(2, message, options)
  }
}

/** A file that is refused; each problem names a path in it. */
export class InvalidFile extends ConfigurationError {}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.exitCode
  if (error instanceof InvalidFile) return 7
  if (error instanceof SuiteUnreachable) return 8
  if (error instanceof ManagementApiError) return BY_STATUS[error.status] ?? (error.status < 500 ? 7 : 8)
  return 1
}

/** A line for each problem; a stack only for a defect of the command. */
export function errorLines(error: unknown): readonly string[] {
  if (error instanceof CommandError || error instanceof SuiteUnreachable) return [error.message]
  if (!(error instanceof ManagementApiError)) return startProblems(error)
  const { message, status, requestId } = error
  // Only errors that the caller cannot explain are looked up in the logs.
  const where = status >= 500 && requestId !== undefined ? `, request ${requestId}` : ''
  return [`${message} (${status}${where})${listOfUnknown(error)}`]
}

/** `; signet application list shows them` for an application that does not exist. */
function listOfUnknown({ status, details }: ManagementApiError): string {
  const [, kind] = /^(\w+)_unknown$/.exec((status === 404 && details[0]?.id) || '') ?? []
  const list: Operation | undefined = Object.values(OPERATIONS).find(({ id }) => id === `${kind}.list`)
  // Some kinds are in lists of several objects: keys of a user and keys of an application.
  const isOfInstance = list?.parameters.every(({ in: place }) => place !== 'path')
  return list !== undefined && isOfInstance ? `; signet ${commandWords(list.id)} shows them` : ''
}
