import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { CSV_PRESETS } from '@signet/file-formats/sources/csv-presets'
import { openSuite } from '../access/suite-access.ts'
import type { AddCommand, CommandContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { requireYes, YES_OPTION } from '../operations/confirmation.ts'
import { addCompareDiscoveryCommand } from './compare-discovery.ts'
import { type ConversionOptions, convertedDocument } from './conversion-options.ts'
import { SOURCE_NAMES, suggestMapping as suggestedMappingOf } from './converted-document.ts'
import { importFile } from './document.ts'
import {
  adviseRejects,
  credentialLines,
  followJob,
  importedCounts,
  requireDone,
  type ShownJob,
  startJob,
} from './job.ts'
import { requireId } from './job-commands.ts'
import { keepList, noteLeftOut } from './job-left-out.ts'
import { openLines } from './left-out-report.ts'
import { addRehearseCommand } from './rehearsal.ts'
import { STORAGE_HELP, storagePlace } from './storage-place.ts'

const appendValue = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value]

/** `import` reads a document, or files of another product, into the suite. */
export function addImportCommand(add: AddCommand, context: CommandContext): void {
  const imports = add('import')
  imports
    .description('reads organizations from a file of signet export; - is standard input')
    .argument('[place]', 'FILE, s3://…, gs://… or storage:…; with --from a file or folder')
    .option('--from <product>', `converts an export of ${SOURCE_NAMES.join(', ')} first`)
    .option(
      '--into <id>',
      'an organization that exists already and that the document may write into; may be repeated',
      appendValue,
    )
    .option('--organization <id>', 'with --from: the id of the organization; as --into too')
    .option('--organization-name <name>', 'with --from: its name')
    .option(
      '--mapping <file>',
      `with --from csv: which column becomes what, in YAML or JSON, or one of ${CSV_PRESETS.join(', ')}`,
    )
    .option(
      '--suggest-mapping',
      'with --from csv: prints a mapping for the columns of the file, and imports nothing',
    )
    .option('--converted <file>', 'with --from: keeps the converted document')
    .option('--left-out <file>', 'writes each value that is left out or changed as a line of JSON')
    .option('--pkce-optional', 'with --from: public clients that sent no PKCE may go on without')
    .option('--hash-config <file>', 'with --from firebase: the password hash parameters of the project')
    .option('--env <file>', 'with --from: lines NAME=value, which fill in placeholders of JSON and YAML')
    .option('--prefix-client-ids', 'with --from keycloak: client ids become REALM.CLIENT')
    .option('--identity <file>', 'the age identity that opens a sealed file; it stays here')
    .option('--endpoint <url>', 'of an S3 server')
    .option('--region <region>', 'of an S3 server')
    .option('--dry-run', 'shows what would happen and writes nothing', false)
    .option(
      '--on-conflict <rule>',
      'skip, update or fail: for objects that are there already; skip unless given',
    )
    .option(
      '--on-invalid <rule>',
      'fail, skip or without_password: for records that break a rule; fail unless given',
    )
    .option('--timeout <duration>', 'such as 10m')
    .addHelpText(
      'after',
      `
A document writes into organizations that it creates itself and into those of --into, as an ORG_OWNER of each: records of
other organizations that exist fail. A role that it gives to a person of another organization waits for its acceptance.
--on-invalid skip leaves invalid records out; without_password also imports users without a password hash or OTP secret
that is invalid. --left-out writes the values that are left out or changed, also those of --from; signet jobs left-out writes them again, and
signet migration checklist says what is left to do. signet jobs report names the records, signet jobs rejects writes them to a file that can be mended and
imported.
--from lists what has no counterpart here before anything is written, also with --dry-run; docs/coming-from-elsewhere.md
says what each product loses.
The job continues when this command is ended: signet jobs events shows it again.
${STORAGE_HELP}`,
    )
    .action((source, options) => importDocument(source, options, context))

  // Subcommands of `import`, which also has an argument.
  addApplyCommand(imports, context)
  addRehearseCommand(imports, context)
  addCompareDiscoveryCommand(imports, context)
  addUndoCommand(imports, context)
}

interface ImportOptions extends ConversionOptions {
  readonly into?: readonly string[]
  readonly dryRun: boolean
  readonly onConflict?: string
  readonly onInvalid?: string
  readonly timeout?: string
  readonly endpoint?: string
  readonly region?: string
  readonly identity?: string
  readonly suggestMapping?: true
}

/** Converts where that is asked for, starts the import, and follows it to its end. */
async function importDocument(
  source: string | undefined,
  {
    into = [],
    dryRun,
    onConflict,
    onInvalid,
    timeout,
    endpoint,
    region,
    identity,
    suggestMapping,
    ...conversion
  }: ImportOptions,
  context: CommandContext,
): Promise<void> {
  if (source === undefined || source === '') {
    throw new UsageError('give one argument: the file or object to import')
  }
  if (suggestMapping !== undefined) return await showMapping(source, conversion.from, context)
  await using converted = await convertedDocument(source, conversion, context)
  const named = [...into, ...[conversion.organization ?? []].flat()]
  const members = {
    ...(named.length > 0 && { org_ids: [...new Set(named)] }),
    ...{ dry_run: dryRun, on_conflict: onConflict, on_invalid: onInvalid, timeout },
  }
  const place =
    converted === undefined ? await storagePlace(source, { endpoint, region }, context.env) : undefined
  if (identity !== undefined && (place !== undefined || converted !== undefined)) {
    throw new UsageError('--identity opens a file of this machine: the server never gets an identity')
  }
  const suite = await openSuite(context)
  // A conversion has begun the file with its own values.
  if (converted === undefined && conversion.leftOut !== undefined)
    openLines(conversion.leftOut)[Symbol.dispose]()
  const send = (body: string | ReadableStream) =>
    startJob(suite, '/admin/v1/import', body).catch(adviseRejects)
  const jobId =
    place === undefined
      ? await importFile({ file: converted?.file ?? source, identity }, members, context, send)
      : await send(JSON.stringify({ ...members, [`data_orgs_${place.kind}`]: place.value }))
  if (converted !== undefined) await keepList(suite, jobId, converted.list, context)
  const job = await followJob(suite, jobId, context)
  const ofImport = await noteLeftOut(suite, jobId, { file: conversion.leftOut, note: context.note })
  if (!dryRun && (ofImport > 0 || (converted?.list.entries.length ?? 0) > 0))
    context.note(`signet migration checklist ${jobId} says what is left to do`)
  const would = dryRun ? 'nothing was written; it would be: ' : ''
  context.say(`${would}${importedCounts(job)}`)
  if (dryRun) credentialLines(job).forEach(context.say)
  if (job.plan !== undefined) context.say(planAdvice(job.plan))
  requireDone(job)
}

async function showMapping(source: string, from: string | undefined, context: CommandContext): Promise<void> {
  if (from !== 'csv') throw new UsageError('--suggest-mapping belongs to --from csv')
  context.say((await suggestedMappingOf(source)).trimEnd())
}

/** The commands that may follow a dry run. */
const planAdvice = ({ id, expiresAt }: { readonly id: string; readonly expiresAt: string }) =>
  `signet import apply ${id} does it, until ${expiresAt}; signet jobs report ${id} names each record, signet import rehearse ${id} tries sign-ins`

function addApplyCommand(imports: CommandUnknownOpts, context: CommandContext): void {
  imports
    .command('apply')
    .description('applies the plan of a dry run, unless an object that it depends on changed since')
    .argument('[job]', 'of the dry run')
    .option('--timeout <duration>', 'such as 10m')
    .action(async (jobId, { timeout }) => {
      const id = requireId(jobId)
      const job = await followPosted(context, `/admin/v1/jobs/${encodeURIComponent(id)}/apply`, { timeout })
      context.say(importedCounts(job))
      requireDone(job)
    })
}

function addUndoCommand(imports: CommandUnknownOpts, context: CommandContext): void {
  imports
    .command('undo')
    .description('undoes an import: deletes the objects that it created, restores those that it updated')
    .argument('[job]', 'of the import')
    .option('--force', 'also undoes objects that were changed since', false)
    .option('--timeout <duration>', 'such as 10m')
    .option('--dry-run', 'shows what would happen and writes nothing', false)
    .option(...YES_OPTION)
    .addHelpText(
      'after',
      `
Objects that were changed since, or that others depend on, are kept and named by signet jobs report. An organization or
project that has users, projects or applications of others is kept also with --force. The sessions and tokens of deleted
users end.`,
    )
    .action(async (jobId, { force, timeout, dryRun, yes }) => {
      const id = requireId(jobId)
      const path = `/admin/v1/jobs/${encodeURIComponent(id)}`
      const { call } = await openSuite(context)
      const { counts } = (await (
        await call({ method: 'GET', path, repeatable: true })
      ).json()) as Partial<ShownJob>
      const what = `deletes ${counts?.created ?? 0} objects that the import created and restores ${counts?.updated ?? 0} that it updated, without those that changed since`
      if (dryRun) return context.say(`nothing was written; it ${what}`)
      if (yes !== true) await requireYes(`The undo ${what}.`, context)
      const job = await followPosted(context, `${path}/undo`, {
        force,
        timeout,
      })
      const { deleted, restored, kept, skipped } = job.counts
      context.say(`${deleted} deleted, ${restored} restored, ${kept} kept, ${skipped} skipped`)
      requireDone(job)
    })
}

/** Starts a job with these members of the body, and returns the job when it has ended. */
async function followPosted(context: CommandContext, path: string, members: object) {
  const suite = await openSuite(context)
  return await followJob(suite, await startJob(suite, path, JSON.stringify(members)), context)
}
