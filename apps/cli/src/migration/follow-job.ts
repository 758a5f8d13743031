import { ManagementApiError, SuiteUnreachable } from '../api/management-api-error.ts'
import type { SuiteCaller } from '../api/suite-caller.ts'
import type { CommandContext } from '../command.ts'
import { answerBody } from './answer-body.ts'
import { jobEvents } from './job-events.ts'
import { hasEnded, progressOf, type ShownJob } from './shown-job.ts'

/** Two minutes: longer than a roll-out of the suite. */
const MOST_SILENT_TRIES = 60
const PAUSE_MS = 2_000

/**
 * Notes the progress of a job until it has ended, and answers how. A lost connection is taken up again: every event
 * tells the whole job. Throws SuiteUnreachable when nothing is heard for two minutes; the job goes on all the same.
 */
export async function followJob(
  call: SuiteCaller,
  jobId: string,
  { note, pause }: Pick<CommandContext, 'note' | 'pause'>,
): Promise<ShownJob> {
  let told = ''
  let silentTries = 0
  for (;;) {
    try {
      for await (const job of await openEvents(call, jobId)) {
        silentTries = 0
        const progress = progressOf(job)
        if (progress !== told) note(progress)
        told = progress
        if (hasEnded(job)) return job
      }
    } catch (error) {
      if (!mayPass(error)) throw error
      if (silentTries >= MOST_SILENT_TRIES) {
        throw new SuiteUnreachable(
          `nothing is heard of ${jobId}, which goes on; see signet jobs events ${jobId}`,
          {
            cause: error,
          },
        )
      }
      if (silentTries === 0) note('the connection was lost; the job goes on, trying again')
    }
    silentTries += 1
    await pause(PAUSE_MS)
  }
}

async function openEvents(call: SuiteCaller, jobId: string): Promise<AsyncGenerator<ShownJob>> {
  const path = `/admin/v1/jobs/${encodeURIComponent(jobId)}/events`
  return jobEvents(answerBody(await call({ method: 'GET', path, repeatable: false })))
}

const mayPass = (error: unknown) =>
  error instanceof SuiteUnreachable || (error instanceof ManagementApiError && error.status >= 500)
