import { recipientsProblem } from '@signet/file-formats/archive/sealing'
import { openSuite } from '../access/suite-access.ts'
import type { AddCommand, CommandContext } from '../context.ts'
import { CommandError, UsageError } from '../exit-codes.ts'
import { saveDocument } from './document.ts'
import { exportedCounts, followJob, requireDone, type ShownJob, startJob } from './job.ts'
import { STORAGE_HELP, storagePlace } from './storage-place.ts'

/** `export` writes organizations to a document. */
export function addExportCommand(add: AddCommand, context: CommandContext): void {
  add('export')
    .description('writes organizations to a file that signet import reads')
    .option('--out <place>', 'FILE, s3://…, gs://… or storage:… (required)')
    .option('--endpoint <url>', 'of an S3 server')
    .option('--region <region>', 'of an S3 server')
    .option('--organization <id>', 'only this organization; may be repeated', appendValue)
    .option('--without-organization <id>', 'leaves this organization out; may be repeated', appendValue)
    .option('--with-passwords', 'adds password hashes')
    .option('--with-otp', 'adds TOTP secrets')
    .option('--with-passkeys', 'adds passkeys, for a target with the same RP ID')
    .option('--with-secrets', 'adds the secrets of identity providers')
    .option(
      '--recipient <age1…>',
      'seals the document for this public key of age; may be repeated',
      appendValue,
    )
    .option('--unsealed', 'leaves hashes and secrets readable in the document')
    .option('--compression <kind>', 'gzip or zstd')
    .option('--timeout <duration>', 'such as 10m')
    .addHelpText(
      'after',
      `
A document with hashes or secrets is sealed: give --recipient, which signet archive keygen or age-keygen makes, or --unsealed.
A file is readable by the user alone. Keys of service users and applications are never in it. The command reconnects after
a lost connection.
${STORAGE_HELP}`,
    )
    .action(async ({ out, endpoint, region, organization, withoutOrganization, ...options }) => {
      const { recipient, unsealed, ...request } = options
      if (out === undefined || out === '') throw new UsageError('--out: name the file or object to write')
      const place = await storagePlace(out, { endpoint, region }, context.env)
      const { withPasswords, withOtp, withSecrets } = request
      const holdsCredentials = [withPasswords, withOtp, withSecrets].includes(true)
      const recipients = await chosenRecipients({ recipient, unsealed, holdsCredentials }, context)
      const output = place && { [`${place.kind}_output`]: place.value }
      const chosen = { orgIds: organization, excludedOrgIds: withoutOrganization, recipients }
      const body = { ...request, ...chosen, ...output }
      const suite = await openSuite(context)
      const jobId = await startJob(suite, '/admin/v1/export', JSON.stringify(body))
      const job = await followJob(suite, jobId, context)
      requireDone(job)
      requireSealed(job, { recipients, out, isStored: place !== undefined })
      if (place === undefined) await saveDocument(suite, { jobId, file: out }, context)
      context.say(exportedCounts(job, out))
    })
}

interface SealedExport {
  readonly recipients: readonly string[] | undefined
  readonly out: string
  readonly isStored: boolean
}

/** Throws a CommandError when a server of an earlier version, which ignores recipients, left the document unsealed. */
function requireSealed({ id, result }: ShownJob, { recipients, out, isStored }: SealedExport): void {
  if (recipients === undefined || result?.sealed === true) return
  const where = isStored ? `${out} is NOT sealed: delete it` : 'nothing was written'
  throw new CommandError(
    'jobNotDone',
    `export ${id}: the server is of an earlier version and does not seal; ${where}`,
  )
}

/** Parser of a repeatable option: appends one value. */
const appendValue = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value]

interface SealingOptions {
  readonly recipient?: readonly string[] | undefined
  readonly unsealed?: boolean | undefined
  /** The export holds hashes or secrets. */
  readonly holdsCredentials: boolean
}

/**
 * Returns the recipients of a sealed export, or undefined for an unsealed export. Asks on the terminal when the export holds
 * credentials and neither option is given. Throws UsageError without a terminal.
 */
async function chosenRecipients(
  { recipient, unsealed = false, holdsCredentials }: SealingOptions,
  { ask }: Pick<CommandContext, 'ask'>,
): Promise<readonly string[] | undefined> {
  if (recipient !== undefined && unsealed) throw new UsageError('give --recipient or --unsealed, not both')
  if (recipient === undefined && (unsealed || !holdsCredentials)) return undefined
  const recipients = recipient ?? (await askedRecipients(ask))
  const problem = await recipientsProblem(recipients)
  if (problem !== undefined) throw new UsageError(`--recipient: ${problem}`)
  return recipients
}

const CREDENTIALS = 'The export holds password hashes or secrets.'
const ADVICE =
  'seal it with --recipient AGE1…, a public key that signet archive keygen or age-keygen makes, or add --unsealed'

async function askedRecipients(ask: CommandContext['ask']): Promise<readonly string[]> {
  if (ask === undefined) throw new UsageError(`${CREDENTIALS.slice(0, -1)}: ${ADVICE}`)
  const answer = await ask(`${CREDENTIALS} Seal it for which recipients (age1…, separated by spaces)?`)
  const recipients = answer.split(/[\s,]+/).filter((text) => text !== '')
  if (recipients.length === 0) throw new UsageError(`nothing was exported: ${ADVICE}`)
  return recipients
}
