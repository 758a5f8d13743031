import { openSuite } from './access/suite-access.ts'
import { ManagementApiError } from './api/errors.ts'
import { bodyOf, type Suite } from './api/suite.ts'
import type { AddCommand, CommandContext } from './context.ts'
import { CommandError, UsageError } from './exit-codes.ts'
import { withIds } from './operations/identifiers.ts'
import { outputOption, table, tableOf } from './output.ts'

interface Plan {
  readonly organizationId: string
  readonly dryRun: boolean
  readonly perSecond: number
  /** The most messages of this run. */
  readonly most: number
  readonly notInvitedSince: Date
}

interface InvitedPerson {
  readonly id: string
  readonly userName: string
}

interface Invitations {
  readonly dryRun: boolean
  /** Messages that were queued; in a dry run, that would be. */
  sent: number
  readonly withoutAddress: InvitedPerson[]
  readonly refused: (InvitedPerson & { readonly reason: string })[]
}

const DAY_MS = 86_400_000
/** An invitation is valid as long. */
const DEFAULT_DAYS = 7
/** The server knows messages as long. */
const MOST_DAYS = 30
const DEFAULT_PER_SECOND = 5
const MOST_PER_SECOND = 50
/** Refusals that hold for each person of the organization. */
const OF_ORGANIZATION = ['mail_organization_limited', 'password_sign_in_not_allowed']
/** The refusals for one reason in a row that are taken for a refusal of each person. */
const MOST_REFUSED_IN_A_ROW = 20
const MOST_SHOWN = 50

/** `invite` sends the people of an organization who have no way to sign in a link to choose a password. */
export function addInviteCommand(add: AddCommand, context: CommandContext): void {
  add('invite')
    .description('sends people of an organization who cannot sign in yet a link to choose a password')
    .option('--without-credentials', 'active people with neither a password nor a passkey (required)')
    .option('--organization <id>', 'the organization of the people (required)')
    .option(
      '--again-after <days>',
      `leaves out people with an invitation of the last days; ${DEFAULT_DAYS} unless given`,
    )
    .option('--rate <number>', `messages a second; ${DEFAULT_PER_SECOND} unless given`)
    .option('--most <number>', 'ends after so many messages')
    .option('--dry-run', 'counts the people and sends nothing', false)
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
The server sends the messages within its limits; the audit log has mail.delivery for each that it gave up. When the command ends
early, give it again: it goes on with the people to whom no invitation was sent.`,
    )
    .action(async ({ withoutCredentials, organization, againAfter, rate, most, dryRun, output }) => {
      if (withoutCredentials === undefined) throw new UsageError('say who is invited: --without-credentials')
      if (organization === undefined) throw new UsageError('give --organization ID')
      const days = numberOf('--again-after', againAfter, { unlessGiven: DEFAULT_DAYS, most: MOST_DAYS })
      const perSecond = numberOf('--rate', rate, { unlessGiven: DEFAULT_PER_SECOND, most: MOST_PER_SECOND })
      const mostSent = numberOf('--most', most, { unlessGiven: Number.MAX_SAFE_INTEGER })
      const suite = await openSuite(context)
      const { organizationId } = await withIds({ organizationId: organization }, suite.management, context)
      const notInvitedSince = new Date(context.now().getTime() - days * DAY_MS)
      const invitations: Invitations = { dryRun, sent: 0, withoutAddress: [], refused: [] }
      const end = await invite(
        suite,
        { organizationId, dryRun, perSecond, most: mostSent, notInvitedSince },
        invitations,
        context,
      )
      context.say(output === tableOf ? reportOf(invitations) : output(invitations))
      if (end !== undefined) throw end
      const { refused } = invitations
      if (refused.length > 0) throw new CommandError('objectsFailed', `${refused.length} were refused`)
    })
}

function numberOf(
  option: string,
  text: string | undefined,
  { unlessGiven, most = Number.MAX_SAFE_INTEGER }: { readonly unlessGiven: number; readonly most?: number },
): number {
  if (text === undefined) return unlessGiven
  const number = /^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN
  if (number <= most) return number
  const range = most === Number.MAX_SAFE_INTEGER ? 'of 1 or more' : `from 1 to ${most}`
  throw new UsageError(`${option}: must be a whole number ${range}`)
}

/** Fills `invitations`, one person after the other. Returns the error that ended it early; a person's refusal does not. */
async function invite(
  suite: Suite,
  plan: Plan,
  invitations: Invitations,
  context: CommandContext,
): Promise<unknown> {
  const { withoutAddress, refused } = invitations
  const interruption = plan.dryRun ? undefined : context.interruption()
  const waitForTurn = createPace(plan.perSecond, context)
  let refusedInARow = 0
  try {
    for await (const { id, userName, email } of peopleWithoutCredentials(suite, plan)) {
      if (email === undefined) {
        withoutAddress.push({ id, userName })
        continue
      }
      if (invitations.sent === plan.most) return undefined
      if (!plan.dryRun) {
        await waitForTurn()
        if (interruption?.aborted)
          return new CommandError('jobNotDone', 'interrupted; give the command again to go on')
        const error = await refusalOf(suite, id)
        if (error !== undefined) {
          const [{ id: reason = '' } = {}] = error.details
          refusedInARow = refused.at(-1)?.reason === error.message ? refusedInARow + 1 : 1
          if (OF_ORGANIZATION.includes(reason)) return error
          refused.push({ id, userName, reason: error.message })
          if (refusedInARow === MOST_REFUSED_IN_A_ROW) return error
          continue
        }
      }
      refusedInARow = 0
      invitations.sent += 1
    }
  } catch (error) {
    return error
  }
  return undefined
}

/** A function that waits until the next message may go: no two follow each other faster than the rate. */
function createPace(perSecond: number, { now, pause }: Pick<CommandContext, 'now' | 'pause'>) {
  let dueAt = Number.NEGATIVE_INFINITY
  return async () => {
    const at = now().getTime()
    if (at < dueAt) await pause(dueAt - at)
    dueAt = Math.max(at, dueAt) + 1_000 / perSecond
  }
}

async function* peopleWithoutCredentials({ management }: Suite, { organizationId, notInvitedSince }: Plan) {
  let cursor: string | undefined
  do {
    const query = {
      organizationId,
      state: 'active' as const,
      hasCredentials: 'false' as const,
      notInvitedSince: notInvitedSince.toISOString(),
      limit: 500,
      ...(cursor !== undefined && { cursor }),
    }
    const page = bodyOf(await management.GET('/management/v1/users', { params: { query } }))
    for (const person of page.items) if (person.kind === 'human') yield person
    cursor = page.nextCursor
  } while (cursor !== undefined)
}

/** Invites a person. Returns why the server refuses; rejects when the next person would be refused as well. */
async function refusalOf({ management }: Suite, userId: string): Promise<ManagementApiError | undefined> {
  try {
    await management.POST('/management/v1/users/{userId}/invitation', { params: { path: { userId } } })
    return undefined
  } catch (error) {
    if (error instanceof ManagementApiError && error.status < 500 && error.status !== 401) return error
    throw error
  }
}

function reportOf({ dryRun, sent, withoutAddress, refused }: Invitations): string {
  const would = dryRun ? 'nothing was sent; it would be: ' : ''
  return [
    `${would}${sent} sent, ${withoutAddress.length} without an e-mail address, ${refused.length} refused`,
    ...section('without an e-mail address:', withoutAddress, ({ id, userName }) => [id, userName]),
    ...section('refused:', refused, ({ id, userName, reason }) => [id, userName, reason]),
  ].join('\n')
}

function section<T>(title: string, people: readonly T[], rowOf: (person: T) => readonly string[]) {
  if (people.length === 0) return []
  const rows = people.slice(0, MOST_SHOWN).map(rowOf)
  const more =
    people.length > rows.length ? [`and ${people.length - rows.length} more: --output json names all`] : []
  return [title, table(rows), ...more]
}
