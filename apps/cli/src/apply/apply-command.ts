import { problemText } from '@signet/file-formats/bootstrap/file-problem'
import { openSuite } from '../access/suite-access.ts'
import { ManagementApiError } from '../api/management-api-error.ts'
import { managementClient } from '../api/management-client.ts'
import type { Command, CommandContext } from '../command.ts'
import { commandArguments } from '../command-arguments.ts'
import { outputFormat } from '../output/output-format.ts'
import { UsageError } from '../usage-error.ts'
import { type AppliedFile, appliedDiff, hasDifferences } from './applied-diff.ts'
import { DifferencesFound } from './differences-found.ts'
import { fileToSend } from './file-to-send.ts'
import { InvalidFile } from './invalid-file.ts'

/** Brings a running instance to what a bootstrap file says. */
export const applyCommand: Command = {
  synopsis: '-f FILE [--dry-run] [--output table|json|yaml]',
  summary: 'creates and changes what a bootstrap file says, all of it or nothing, and shows what',
  details: `FILE is a bootstrap file, - standard input. What its secrets refer to, \${NAME} and file:///path, is taken from this
machine. A field is written when the file says something else about it than when it was last applied, here or at the
start of the instance, and when that is not what is there. What was changed or deleted since, and what the file does
not mention, stays. Secrets are never shown. --dry-run shows the same and writes nothing; its exit code is 11 when
there are differences.`,
  async run(args, context) {
    const { file, dryRun, format } = readArguments(args)
    const applied = await send(await fileToSend(file, context), dryRun, context)
    context.say(format(applied))
    if (dryRun && hasDifferences(applied)) throw new DifferencesFound(`the instance differs from ${file}`)
  },
}

function readArguments(args: readonly string[]) {
  const options = {
    file: { type: 'string', short: 'f' },
    'dry-run': { type: 'boolean', default: false },
    output: { type: 'string', default: 'table' },
  } as const
  const { values } = commandArguments({ args: [...args], options })
  const { file, 'dry-run': dryRun, output } = values
  if (file === undefined) throw new UsageError('give -f FILE, a bootstrap file')
  return { file, dryRun, format: output === 'table' ? appliedDiff : outputFormat(output) }
}

async function send(document: object, dryRun: boolean, context: CommandContext): Promise<AppliedFile> {
  const client = managementClient({ call: await openSuite(context), randomId: context.randomId })
  const query = { dryRun: dryRun ? ('true' as const) : ('false' as const) }
  try {
    return (await client.call('instance.apply', { query, body: document })).body
  } catch (error) {
    throw error instanceof ManagementApiError ? refusalOf(error) : error
  }
}

/** A line for each problem of the file, where the suite names some. */
function refusalOf(error: ManagementApiError): Error {
  const problems = error.details.filter(({ field, rule }) => field !== undefined && rule !== undefined)
  return problems.length === 0
    ? error
    : new InvalidFile(problems.map(({ field = '', rule = '' }) => problemText({ path: field, rule })))
}
