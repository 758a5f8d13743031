import { openSuite } from '../access/suite-access.ts'
import type { Command } from '../command.ts'
import { commandArguments } from '../command-arguments.ts'
import { oneArgument } from '../one-argument.ts'
import { followJob } from './follow-job.ts'
import { importBody } from './import-body.ts'
import { requireDone } from './job-outcome.ts'
import { startJob } from './start-job.ts'
import { STORAGE_HELP, STORAGE_OPTIONS, storagePlace } from './storage-place.ts'

/** Reads a document of organizations into the suite. */
export const importCommand: Command = {
  synopsis:
    'FILE|s3://…|gs://…|storage:… [--endpoint URL] [--region REGION] [--dry-run] [--on-conflict skip|update|fail] [--timeout 10m]',
  summary: 'reads organizations from a file of signet export; - is standard input',
  details: `--dry-run tells what would happen and writes nothing. Objects that are there already are skipped unless --on-conflict
says otherwise. The job goes on when this command is ended: signet jobs events shows it again.
${STORAGE_HELP}`,
  async run(args, context) {
    const { source, options, members } = readImport(args)
    const place = await storagePlace(source, options, context.env)
    const body =
      place === undefined
        ? await importBody(source, members, context)
        : JSON.stringify({ ...members, [`data_orgs_${place.kind}`]: place.value })
    const call = await openSuite(context)
    const job = await followJob(call, await startJob(call, '/admin/v1/import', body), context)
    const { created, updated, skipped, failed } = job.counts
    const would = members.dry_run ? 'nothing was written; it would be: ' : ''
    context.say(`${would}${created} created, ${updated} updated, ${skipped} skipped, ${failed} failed`)
    requireDone(job)
  },
}

function readImport(args: readonly string[]) {
  const options = {
    ...STORAGE_OPTIONS,
    'dry-run': { type: 'boolean' },
    'on-conflict': { type: 'string' },
    timeout: { type: 'string' },
  } as const
  const { values, positionals } = commandArguments({ args: [...args], options, allowPositionals: true })
  return {
    source: oneArgument(positionals, 'the file or object to import'),
    options: values,
    members: {
      dry_run: values['dry-run'] ?? false,
      on_conflict: values['on-conflict'],
      timeout: values.timeout,
    },
  }
}
