import { openSuite } from '../access/suite-access.ts'
import type { Command } from '../command.ts'
import { commandArguments } from '../command-arguments.ts'
import { oneArgument } from '../one-argument.ts'
import { readText } from '../read-text.ts'
import { followJob } from './follow-job.ts'
import { requireDone } from './job-outcome.ts'
import { startJob } from './start-job.ts'

/** Reads a document of organizations into the suite. */
export const importCommand: Command = {
  synopsis: 'FILE [--dry-run] [--on-conflict skip|update|fail] [--timeout 10m]',
  summary: 'reads organizations from a file of signet export; - is standard input',
  details: `--dry-run tells what would happen and writes nothing. Objects that are there already are skipped unless --on-conflict
says otherwise. The job goes on when this command is ended: signet jobs events shows it again.`,
  async run(args, context) {
    const { file, members } = readImport(args)
    const document = await readText(file, context)
    const call = await openSuite(context)
    // The document goes as it is: reading it here would need many times its size.
    const body = `${JSON.stringify(members).slice(0, -1)},"data_orgs":${document}}`
    const job = await followJob(call, await startJob(call, '/admin/v1/import', body), context)
    const { created, updated, skipped, failed } = job.counts
    const would = members.dry_run ? 'nothing was written; it would be: ' : ''
    context.say(`${would}${created} created, ${updated} updated, ${skipped} skipped, ${failed} failed`)
    requireDone(job)
  },
}

function readImport(args: readonly string[]) {
  const options = {
    'dry-run': { type: 'boolean' },
    'on-conflict': { type: 'string' },
    timeout: { type: 'string' },
  } as const
  const { values, positionals } = commandArguments({ args: [...args], options, allowPositionals: true })
  return {
    file: oneArgument(positionals, 'the file to import'),
    members: {
      dry_run: values['dry-run'] ?? false,
      on_conflict: values['on-conflict'],
      timeout: values.timeout,
    },
  }
}
