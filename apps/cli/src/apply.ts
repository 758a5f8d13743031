import { readFileSync } from 'node:fs'
import {
  createSecretExpansion,
  parseFileText,
  prepareDocument,
  problemText,
} from '@signet/file-formats/bootstrap/bootstrap-file'
import { openSuite } from './access/suite-access.ts'
import { ManagementApiError } from './api/errors.ts'
import type { components } from './api/gen/schema.ts'
import { bodyOf } from './api/suite.ts'
import { type AddCommand, type CommandContext, createReadFailure, textOf } from './context.ts'
import { CommandError, InvalidFile, UsageError } from './exit-codes.ts'
import { outputOption, tableOf } from './output.ts'

type AppliedFile = components['schemas']['AppliedFile']
type ObjectChange = AppliedFile['changes'][number]

const SIGNS = { created: '+', updated: '~', left_deleted: '!' } as const

/** `apply` brings a running instance to the state that a bootstrap file describes. */
export function addApplyCommand(add: AddCommand, context: CommandContext): void {
  // The operation instance.apply by itself would send references instead of secrets.
  for (const words of ['instance apply', 'apply']) {
    add(words)
      .description('creates and changes what a bootstrap file says, all of it or nothing, and shows what')
      .option('-f, --file <file>', 'a bootstrap file, - for standard input (required)')
      .option('--dry-run', 'shows the changes and writes nothing', false)
      .addOption(outputOption())
      .addHelpText(
        'after',
        `
References of its secrets, \${NAME} and file:///path, are replaced on this machine. A field is written when its value in
the file differs from the file that was last applied, here or at the start of the instance, and from the stored value.
Objects that were changed or deleted since, and objects that the file does not mention, stay. Secrets are never shown.
With --dry-run the exit code is 11 when there are differences.`,
      )
      .action(async ({ file, dryRun, output }) => {
        if (file === undefined) throw new UsageError('give -f FILE, a bootstrap file')
        const applied = await sendFile(await documentOf(file, context), dryRun, context)
        context.say(output === tableOf ? appliedDiff(applied) : output(applied))
        if (dryRun && hasDifferences(applied))
          throw new CommandError('differences', `the instance differs from ${file}`)
      })
  }
}

/**
 * The document of a bootstrap file with the secrets of this machine in it. Throws InvalidFile with every reference that
 * cannot be read; the suite checks everything else.
 */
export async function documentOf(file: string, context: CommandContext): Promise<object> {
  const parsed = parseFileText(await textOf(file, context).catch(createReadFailure(file)))
  if ('problems' in parsed) throw new InvalidFile(parsed.problems.map((problem) => `${file}: ${problem}`))
  const expand = createSecretExpansion(context.env, (url) => readFileSync(url, 'utf8'))
  const { document, problems } = prepareDocument(parsed.document, expand)
  if (problems.length > 0) throw new InvalidFile(problems.map(problemText))
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) return document
  throw new InvalidFile([`${file}: must hold an object`])
}

/** Applies a document whole or not at all. Rejects with InvalidFile that has a line for each problem. */
export async function sendFile(
  document: object,
  dryRun: boolean,
  context: CommandContext,
): Promise<AppliedFile> {
  const { management } = await openSuite(context)
  const params = { query: { dryRun: dryRun ? ('true' as const) : ('false' as const) } }
  try {
    return bodyOf(await management.POST('/management/v1/apply', { params, body: document }))
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

/** A line for each changed object, below it one for each field, and the counts. */
function appliedDiff({ changes, unchanged, dryRun }: AppliedFile): string {
  const lines = changes.flatMap(linesOf)
  if (!hasDifferences({ changes })) return [...lines, 'nothing to change'].join('\n')
  const count = (wanted: ObjectChange['change']) => changes.filter(({ change }) => change === wanted).length
  const counts = `${count('created')} created, ${count('updated')} updated, ${unchanged} unchanged`
  return [...lines, dryRun ? `nothing was written; it would be: ${counts}` : counts].join('\n')
}

function hasDifferences({ changes }: Pick<AppliedFile, 'changes'>): boolean {
  return changes.some(({ change }) => change !== 'left_deleted')
}

function linesOf({ change, kind, id, path, fields }: ObjectChange): string[] {
  const note = change === 'left_deleted' ? ': was deleted, and stays so until the file changes it' : ''
  return [`${SIGNS[change]} ${kind.replaceAll('_', ' ')} ${id} (${path})${note}`, ...fields.map(fieldLine)]
}

function fieldLine({ name, secret, before, after }: ObjectChange['fields'][number]): string {
  if (secret) return `    ${name}: (secret)`
  const from = before === undefined || before === null ? '' : `${JSON.stringify(before)} -> `
  return `    ${name}: ${from}${JSON.stringify(after)}`
}
