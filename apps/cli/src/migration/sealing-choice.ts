import { recipientsProblem } from '@signet/file-formats/archive/sealing'
import type { CommandContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'

interface SealingOptions {
  readonly recipient?: readonly string[] | undefined
  readonly unsealed?: boolean | undefined
  /** Whether the export holds hashes or secrets. */
  readonly holdsCredentials: boolean
}

/**
 * The recipients that an export is sealed for; undefined for one that stays unsealed. Asks for them on the terminal when the
 * export holds credentials and nothing is said. Throws UsageError where none can be asked.
 */
export async function chosenRecipients(
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
