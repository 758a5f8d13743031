import { openSuite } from '../access/suite-access.ts'
import type { Command } from '../command.ts'
import { commandArguments } from '../command-arguments.ts'
import { UsageError } from '../usage-error.ts'
import { followJob } from './follow-job.ts'
import { requireDone } from './job-outcome.ts'
import { saveDocument } from './save-document.ts'
import { startJob } from './start-job.ts'
import { STORAGE_HELP, STORAGE_OPTIONS, storagePlace } from './storage-place.ts'

/** Writes organizations to a document that `signet import` reads. */
export const exportCommand: Command = {
  synopsis:
    '--out FILE|s3://…|gs://…|storage:… [--endpoint URL] [--region REGION] [--organization ID]... [--without-organization ID]... [--with-passwords] [--with-otp] [--with-secrets] [--timeout 10m]',
  summary: 'writes organizations to a file that signet import reads',
  details: `All organizations unless some are named. Password hashes, TOTP secrets and the secrets of identity providers are in the
file only when asked for; it is readable by the user alone. Keys of service users and applications are never in it. A connection that is lost is taken up again.
${STORAGE_HELP}`,
  async run(args, context) {
    const { out, options, request } = readExport(args)
    const place = await storagePlace(out, options, context.env)
    const output = place && { [`${place.kind}_output`]: place.value }
    const call = await openSuite(context)
    const jobId = await startJob(call, '/admin/v1/export', JSON.stringify({ ...request, ...output }))
    const job = await followJob(call, jobId, context)
    requireDone(job)
    if (place === undefined) await saveDocument(call, { jobId, file: out }, context)
    context.say(`${job.counts.done} objects in ${out}`)
  },
}

function readExport(args: readonly string[]) {
  const options = {
    ...STORAGE_OPTIONS,
    out: { type: 'string' },
    organization: { type: 'string', multiple: true },
    'without-organization': { type: 'string', multiple: true },
    'with-passwords': { type: 'boolean' },
    'with-otp': { type: 'boolean' },
    'with-secrets': { type: 'boolean' },
    timeout: { type: 'string' },
  } as const
  const { values } = commandArguments({ args: [...args], options })
  if (values.out === undefined || values.out === '')
    throw new UsageError('--out: name the file or object to write')
  return {
    out: values.out,
    options: values,
    request: {
      orgIds: values.organization,
      excludedOrgIds: values['without-organization'],
      withPasswords: values['with-passwords'],
      withOtp: values['with-otp'],
      withSecrets: values['with-secrets'],
      timeout: values.timeout,
    },
  }
}
