import { openSuite } from '../access/suite-access.ts'
import type { Command, CommandContext, Commands } from '../command.ts'
import { commandArguments } from '../command-arguments.ts'
import { oneArgument } from '../one-argument.ts'
import { outputFormat } from '../output/output-format.ts'
import { followJob } from './follow-job.ts'
import { requireDone } from './job-outcome.ts'
import type { ShownJob } from './shown-job.ts'

const JOBS = '/admin/v1/jobs'
const OUTPUT = { output: { type: 'string', default: 'table' } } as const

const list: Command = {
  synopsis: '[--page-token TOKEN] [--output table|json|yaml]',
  summary: 'lists exports and imports, newest first',
  async run(args, context) {
    const options = { ...OUTPUT, 'page-token': { type: 'string' } } as const
    const { 'page-token': token, output } = commandArguments({ args: [...args], options }).values
    const format = outputFormat(output)
    const path = token === undefined ? JOBS : `${JOBS}?${new URLSearchParams({ pageToken: token })}`
    const response = await (await openSuite(context))({ method: 'GET', path, repeatable: true })
    const { jobs, nextPageToken } = (await response.json()) as { jobs: ShownJob[]; nextPageToken?: string }
    context.say(format({ items: jobs }))
    if (nextPageToken !== undefined) context.note(`there are more: --page-token ${nextPageToken}`)
  },
}

const show = onOneJob('shows an export or import', { method: 'GET', path: '' })
const cancel = onOneJob('ends a running job; what is done stays', { method: 'POST', path: '/cancel' })

const resume: Command = {
  synopsis: 'JOB [--timeout 6h] [--output table|json|yaml]',
  summary: 'goes on with a job that was cancelled, timed out or failed',
  details: 'It has all of its time again, or the one that --timeout says.',
  async run(args, context) {
    const options = { ...OUTPUT, timeout: { type: 'string' } } as const
    const { values, positionals } = commandArguments({ args: [...args], options, allowPositionals: true })
    const format = outputFormat(values.output)
    const jobId = oneArgument(positionals, 'the id of a job')
    const body = values.timeout === undefined ? undefined : { timeout: values.timeout }
    const response = await callJob(jobId, { method: 'POST', path: '/resume', body }, context)
    context.say(format(await response.json()))
  },
}

function onOneJob(summary: string, { method, path }: { method: string; path: string }): Command {
  return {
    synopsis: 'JOB [--output table|json|yaml]',
    summary,
    async run(args, context) {
      const { values, positionals } = commandArguments({
        args: [...args],
        options: OUTPUT,
        allowPositionals: true,
      })
      const format = outputFormat(values.output)
      const response = await callJob(oneArgument(positionals, 'the id of a job'), { method, path }, context)
      context.say(format(await response.json()))
    },
  }
}

const events: Command = {
  synopsis: 'JOB',
  summary: 'shows how a job goes on until it ends; the exit code tells how',
  async run(args, context) {
    const { positionals } = commandArguments({ args: [...args], allowPositionals: true })
    const jobId = oneArgument(positionals, 'the id of a job')
    requireDone(await followJob(await openSuite(context), jobId, context))
  },
}

const report: Command = {
  synopsis: 'JOB',
  summary: 'writes what became of each object of an import, a line of JSON for each',
  async run(args, context) {
    const { positionals } = commandArguments({ args: [...args], allowPositionals: true })
    const jobId = oneArgument(positionals, 'the id of a job')
    const response = await callJob(jobId, { method: 'GET', path: '/report' }, context)
    context.say((await response.text()).trimEnd())
  },
}

async function callJob(
  jobId: string,
  {
    method,
    path,
    body,
  }: { readonly method: string; readonly path: string; readonly body?: object | undefined },
  context: CommandContext,
): Promise<Response> {
  const call = await openSuite(context)
  return call({
    method,
    path: `${JOBS}/${encodeURIComponent(jobId)}${path}`,
    repeatable: method === 'GET',
    ...(body !== undefined && { body }),
  })
}

export const JOB_COMMANDS: Commands = {
  'jobs list': list,
  'jobs show': show,
  'jobs cancel': cancel,
  'jobs resume': resume,
  'jobs events': events,
  'jobs report': report,
}
