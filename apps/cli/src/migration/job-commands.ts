import { openSuite } from '../access/suite-access.ts'
import type { AddCommand, CommandContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { outputOption } from '../output.ts'
import { saveDocument } from './document.ts'
import { followJob, requireDone, type ShownJob } from './job.ts'

const JOBS = '/admin/v1/jobs'
const COLUMNS = ['id', 'kind', 'state', 'phase', 'counts.done', 'counts.failed', 'error.message']

type CallJob = (jobId: string | undefined, method: string, path: string, body?: object) => Promise<Response>

/** `jobs …`: shows exports and imports, and cancels or resumes them. */
export function addJobCommands(add: AddCommand, context: CommandContext): void {
  const { say, note } = context
  const callJob: CallJob = async (jobId, method, path, body) => {
    const suite = await openSuite(context)
    return suite.call({
      method,
      path: `${JOBS}/${encodeURIComponent(requireId(jobId))}${path}`,
      body,
      repeatable: method === 'GET',
    })
  }

  add('jobs list')
    .description('lists exports and imports, newest first')
    .option('--page-token <token>', 'the token that the previous page named')
    .addOption(outputOption())
    .action(async ({ pageToken, output }) => {
      const path = pageToken === undefined ? JOBS : `${JOBS}?${new URLSearchParams({ pageToken })}`
      const { call } = await openSuite(context)
      const response = await call({ method: 'GET', path, repeatable: true })
      const { jobs, nextPageToken } = (await response.json()) as { jobs: ShownJob[]; nextPageToken?: string }
      say(output({ items: jobs }, COLUMNS))
      if (nextPageToken !== undefined) note(`there are more: --page-token ${nextPageToken}`)
    })

  for (const [verb, method, path, description] of [
    ['show', 'GET', '', 'shows an export or import'],
    ['cancel', 'POST', '/cancel', 'ends a running job; what is done stays'],
  ] as const) {
    add(`jobs ${verb}`)
      .description(description)
      .argument('[job]')
      .addOption(outputOption())
      .action(async (jobId, { output }) => say(output(await (await callJob(jobId, method, path)).json())))
  }

  add('jobs resume')
    .description('resumes a job that was cancelled, timed out or failed')
    .argument('[job]')
    .option(
      '--timeout <duration>',
      'its time from now, such as 6h; without it the job has all of its time again',
    )
    .addOption(outputOption())
    .action(async (jobId, { timeout, output }) => {
      const body = timeout === undefined ? undefined : { timeout }
      say(output(await (await callJob(jobId, 'POST', '/resume', body)).json()))
    })

  add('jobs events')
    .description('follows a job to its end; the exit code is its outcome')
    .argument('[job]')
    .action(async (jobId) => {
      const id = requireId(jobId)
      requireDone(await followJob(await openSuite(context), id, context))
    })

  addReportCommands(add, context, callJob)
}

/** Adds the commands that write what an import did. */
function addReportCommands(add: AddCommand, context: CommandContext, callJob: CallJob): void {
  const { say } = context
  add('jobs report')
    .description('writes the outcome of each object of an import, one line of JSON for each')
    .argument('[job]')
    .action(async (jobId) => say((await (await callJob(jobId, 'GET', '/report')).text()).trimEnd()))

  add('jobs left-out')
    .description(
      'writes what an import, and the conversion before it, left out or changed, one line of JSON for each value',
    )
    .argument('[job]')
    .action(async (jobId) => say((await (await callJob(jobId, 'GET', '/left-out')).text()).trimEnd()))

  add('jobs rejects')
    .description('writes the invalid records of an import to a file that signet import reads')
    .argument('[job]')
    .option('--out <file>', 'FILE (required); readable by the user alone')
    .action(async (jobId, { out }) => {
      const id = requireId(jobId)
      if (out === undefined || out === '') throw new UsageError('--out: name the file to write')
      await saveDocument(await openSuite(context), { jobId: id, file: out, part: 'rejects' }, context)
      say(
        `the invalid records of ${id} are in ${out}; it may hold passwords: delete it when they are imported`,
      )
    })
}

/** Throws UsageError without the id of a job. */
export function requireId(jobId: string | undefined): string {
  if (jobId === undefined || jobId === '') throw new UsageError('give one argument: the id of a job')
  return jobId
}
