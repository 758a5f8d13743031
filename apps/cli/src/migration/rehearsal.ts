import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { SourceError } from '@signet/file-formats/sources/conversion'
import { type ListedSignIn, readSignInList } from '@signet/file-formats/sources/sign-in-list'
import { openSuite } from '../access/suite-access.ts'
import type { Suite } from '../api/suite.ts'
import { type CommandContext, createReadFailure, textOf } from '../context.ts'
import { CommandError, UsageError } from '../exit-codes.ts'
import { outputOption, tableOf } from '../output.ts'
import { requireId } from './job-commands.ts'

/** Sign-ins in one request: for each request the server reads the names of all people of the dry run once. */
const SIGN_INS_PER_REQUEST = 50
/** Tries while the server is busy with other passwords. */
const MOST_BUSY_TRIES = 5
const BUSY_PAUSE_MS = 2_000

const COLUMNS = ['line', 'loginName', 'outcome', 'milliseconds', 'hashKind', 'steps', 'userId']

interface Result {
  readonly outcome: string
  readonly userId?: string
  readonly hashKind?: string
  readonly milliseconds?: number
  readonly steps?: readonly string[]
}

type Shown = Result & Pick<ListedSignIn, 'line' | 'loginName'>

/** `import rehearse` tries sample sign-ins against a dry run. */
export function addRehearseCommand(imports: CommandUnknownOpts, context: CommandContext): void {
  imports
    .command('rehearse')
    .description('tries sample sign-ins against the document of a dry run, before it is applied')
    .argument('[job]', 'of the dry run')
    .option('--credentials <file>', 'FILE (required): sign-ins as CSV or NDJSON; - is standard input')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Each line of FILE is LOGIN NAME,PASSWORD or LOGIN NAME,PASSWORD,CODE, or a JSON object with loginName, password and otp.
The command writes nothing and does not read stored accounts. A dry run allows 1,000 failed sign-ins. The exit code is 11 when
a sign-in would fail.`,
    )
    .action(async (jobId: string | undefined, { credentials, output }) => {
      const id = requireId(jobId)
      if (credentials === undefined || credentials === '') {
        throw new UsageError('--credentials: name the file with the sign-ins')
      }
      const text = await textOf(credentials, context).catch(createReadFailure(credentials, '--credentials: '))
      const items = await rehearse(await openSuite(context), { id, signIns: signInsOf(text) }, context)
      const inTable = items.map((item) => ({ ...item, outcome: inWords(item.outcome) }))
      context.say(output({ items: output === tableOf ? inTable : items }, COLUMNS))
      for (const line of timesOf(items)) context.note(line)
      const failing = items.filter(({ outcome }) => outcome !== WOULD_SIGN_IN)
      if (failing.length > 0) {
        throw new CommandError(
          'differences',
          `${failing.length} of ${items.length} would not sign in: ${countsOf(failing)}`,
        )
      }
      context.note(`all ${items.length} would sign in`)
    })
}

const WOULD_SIGN_IN = 'wouldSignIn'

function signInsOf(text: string): readonly ListedSignIn[] {
  try {
    return readSignInList(text)
  } catch (error) {
    if (error instanceof SourceError) throw new CommandError('refused', `--credentials: ${error.message}`)
    throw error
  }
}

async function rehearse(
  suite: Suite,
  { id, signIns }: { readonly id: string; readonly signIns: readonly ListedSignIn[] },
  { pause }: Pick<CommandContext, 'pause'>,
): Promise<readonly Shown[]> {
  const shown: Shown[] = []
  for (let at = 0; at < signIns.length; at += SIGN_INS_PER_REQUEST) {
    const part = signIns.slice(at, at + SIGN_INS_PER_REQUEST)
    let results = await call(suite, id, part)
    for (let tries = 1; tries < MOST_BUSY_TRIES && results.some(isBusy); tries += 1) {
      await pause(BUSY_PAUSE_MS)
      const again = await call(
        suite,
        id,
        part.filter((_, index) => isBusy(results[index])),
      )
      const next = again.values()
      results = results.map((result) => (isBusy(result) ? (next.next().value ?? result) : result))
    }
    for (const [index, { line, loginName }] of part.entries()) {
      const { outcome = '', ...result } = results[index] ?? {}
      shown.push({ line, loginName, outcome, ...result })
    }
  }
  return shown
}

const isBusy = (result: Result | undefined): boolean => result?.outcome === 'busy'

/** `wouldSignIn` as `would sign in`. */
const inWords = (outcome: string): string => outcome.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

async function call({ call: send }: Suite, id: string, part: readonly ListedSignIn[]) {
  const response = await send({
    method: 'POST',
    path: `/admin/v1/jobs/${encodeURIComponent(id)}/rehearse`,
    body: { signIns: part.map(({ loginName, password, otp }) => ({ loginName, password, otp })) },
    repeatable: false,
  })
  return ((await response.json()) as { readonly results: readonly Result[] }).results
}

/** `3 wrong password, 1 no such person`. */
function countsOf(items: readonly Shown[]): string {
  const counts = new Map<string, number>()
  for (const { outcome } of items) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  return [...counts].map(([outcome, count]) => `${count} ${inWords(outcome)}`).join(', ')
}

/** The measured times of password checks, one line for each kind of hash. */
function timesOf(items: readonly Shown[]): readonly string[] {
  const kinds = new Map<string, number[]>()
  for (const { hashKind, milliseconds } of items) {
    if (hashKind === undefined || milliseconds === undefined) continue
    kinds.set(hashKind, [...(kinds.get(hashKind) ?? []), milliseconds])
  }
  return [...kinds].map(([kind, times]) => {
    const mean = Math.round(times.reduce((sum, time) => sum + time, 0) / times.length)
    return `${kind}: ${times.length} checked, ${mean} ms on average, ${Math.max(...times)} ms at most`
  })
}
