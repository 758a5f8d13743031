import { ManagementApiError } from '../api/errors.ts'
import type { CommandContext } from '../context.ts'
import { CommandError } from '../exit-codes.ts'
import { table } from '../output.ts'

/** The bounds of a run. */
export interface Bounds {
  readonly dryRun: boolean
  readonly perSecond: number
  /** The most messages of this run. */
  readonly most: number
}

/** The person of a row of the report. */
export interface Invitee {
  readonly id?: string
  readonly userName: string
}

/** The counts of a run, which a run that ends early has too. */
export interface Invitations<Person extends Invitee> {
  readonly dryRun: boolean
  /** Messages that were queued; in a dry run, that would be. */
  sent: number
  readonly refused: (Person & { readonly reason: string })[]
}

/** Refusals that hold for each person of the organization. */
const OF_ORGANIZATION = [
  'mail_no_server',
  'mail_organization_limited',
  'organization_deleting',
  'password_sign_in_not_allowed',
  'role_missing',
]
/** The refusals for one reason in a row that are taken for a refusal of each person. */
const MOST_REFUSED_IN_A_ROW = 20

/**
 * Calls `send` for one person after the other, no faster than the bounds, and fills `invitations`. Returns the error that ended it
 * early; a refusal of one person does not. `send` rejects when the next person would be refused as well.
 */
export async function sendInvitations<Person extends Invitee>(
  people: AsyncIterable<Person> | Iterable<Person>,
  send: (person: Person) => Promise<ManagementApiError | undefined>,
  { bounds, invitations }: { readonly bounds: Bounds; readonly invitations: Invitations<Person> },
  context: CommandContext,
): Promise<unknown> {
  const { refused } = invitations
  const interruption = bounds.dryRun ? undefined : context.interruption()
  const waitForTurn = createPace(bounds.perSecond, context)
  let refusedInARow = 0
  try {
    for await (const person of people) {
      if (invitations.sent === bounds.most) return undefined
      if (!bounds.dryRun) {
        await waitForTurn()
        if (interruption?.aborted)
          return new CommandError('jobNotDone', 'interrupted; give the command again to go on')
        const error = await send(person)
        if (error !== undefined) {
          const [{ id: reason = '' } = {}] = error.details
          refusedInARow = refused.at(-1)?.reason === error.message ? refusedInARow + 1 : 1
          if (OF_ORGANIZATION.includes(reason)) return error
          refused.push({ ...person, reason: error.message })
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

/** Returns why the server refuses a call about one person; rejects when the next one would be refused as well. */
export async function refusalOf(calling: Promise<unknown>): Promise<ManagementApiError | undefined> {
  try {
    await calling
    return undefined
  } catch (error) {
    if (error instanceof ManagementApiError && error.status < 500 && error.status !== 401) return error
    throw error
  }
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

/** Ends the command with an error when a person was refused. */
export function requireNoneRefused(refused: readonly unknown[]): void {
  if (refused.length > 0) throw new CommandError('objectsFailed', `${refused.length} were refused`)
}

const MOST_SHOWN = 50

/** A part of the report: a row for each person, of the first fifty. */
export function section<T>(title: string, people: readonly T[], rowOf: (person: T) => readonly string[]) {
  if (people.length === 0) return []
  const rows = people.slice(0, MOST_SHOWN).map(rowOf)
  const more =
    people.length > rows.length ? [`and ${people.length - rows.length} more: --output json names all`] : []
  return [title, table(rows), ...more]
}
