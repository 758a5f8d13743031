import { LoginRequired } from './access/login-required.ts'
import { ManagementApiError, SuiteUnreachable } from './api/management-api-error.ts'
import { DifferencesFound } from './apply/differences-found.ts'
import { InvalidFile } from './apply/invalid-file.ts'
import { DoctorFoundSomething } from './doctor/doctor-found-something.ts'
import { JobNotDone } from './migration/job-outcome.ts'
import { UsageError } from './usage-error.ts'

/** What a script may tell apart. */
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
  11: 'a dry run found differences',
  12: 'the doctor found something to look at',
} as const

const BY_STATUS: Readonly<Record<number, keyof typeof EXIT_CODES>> = {
  401: 3,
  403: 4,
  404: 5,
  409: 6,
  412: 6,
  422: 6,
  429: 8,
}

export function exitCodeOf(error: unknown): keyof typeof EXIT_CODES {
  if (error instanceof UsageError) return 2
  if (error instanceof LoginRequired) return 3
  if (error instanceof InvalidFile) return 7
  if (error instanceof DifferencesFound) return 11
  if (error instanceof DoctorFoundSomething) return 12
  if (error instanceof SuiteUnreachable) return 8
  if (error instanceof JobNotDone) return error.partial ? 9 : 10
  if (error instanceof ManagementApiError) return BY_STATUS[error.status] ?? (error.status < 500 ? 7 : 8)
  return 1
}
