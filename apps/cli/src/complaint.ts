import { startProblems } from '@signet/platform/process/run-service'
import { ManagementApiError, SuiteUnreachable } from './api/management-api-error.ts'
import { DifferencesFound } from './apply/differences-found.ts'
import { DoctorFoundSomething } from './doctor/doctor-found-something.ts'
import { JobNotDone } from './migration/job-outcome.ts'

/** Whose message says all there is. */
const EXPLAINED = [SuiteUnreachable, JobNotDone, DifferencesFound, DoctorFoundSomething]

/** What is wrong, a line for each problem; a stack only for what is our own fault. */
export function complaintsOf(error: unknown): readonly string[] {
  if (EXPLAINED.some((kind) => error instanceof kind)) return [(error as Error).message]
  if (!(error instanceof ManagementApiError)) return startProblems(error)
  const { message, status, requestId } = error
  // Only what nobody outside can explain is looked up in the logs.
  const where = status >= 500 && requestId !== undefined ? `, request ${requestId}` : ''
  return [`${message} (${status}${where})`]
}
