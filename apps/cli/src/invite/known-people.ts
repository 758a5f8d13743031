import { bodyOf, type Suite } from '../api/suite.ts'
import type { CommandContext } from '../context.ts'
import { tableOf } from '../output.ts'
import {
  type Bounds,
  type Invitations,
  type Invitee,
  refusalOf,
  requireNoneRefused,
  section,
  sendInvitations,
} from './sending.ts'

interface KnownPlan {
  readonly organizationId: string
  readonly notInvitedSince: Date
  readonly bounds: Bounds
  readonly options: { readonly output: typeof tableOf }
}

interface KnownPerson extends Invitee {
  readonly id: string
}

/** Invites the people of an organization who have no way to sign in. */
export async function inviteKnown(
  suite: Suite,
  { organizationId, notInvitedSince, bounds, options }: KnownPlan,
  context: CommandContext,
): Promise<void> {
  const withoutAddress: KnownPerson[] = []
  const invitations: Invitations<KnownPerson> & { readonly withoutAddress: KnownPerson[] } = {
    dryRun: bounds.dryRun,
    sent: 0,
    withoutAddress,
    refused: [],
  }
  const send = ({ id: userId }: KnownPerson) =>
    refusalOf(
      suite.management.POST('/management/v1/users/{userId}/invitation', { params: { path: { userId } } }),
    )
  const end = await sendInvitations(withAddress(), send, { bounds, invitations }, context)
  if (options.output === tableOf) context.say(reportOfKnown())
  else context.say(options.output(invitations))
  if (end !== undefined) throw end
  requireNoneRefused(invitations.refused)

  async function* withAddress() {
    for await (const { id, userName, email } of peopleWithoutCredentials(suite, {
      organizationId,
      notInvitedSince,
    }))
      if (email === undefined) withoutAddress.push({ id, userName })
      else yield { id, userName }
  }

  function reportOfKnown(): string {
    const { dryRun, sent, refused } = invitations
    const would = dryRun ? 'nothing was sent; it would be: ' : ''
    return [
      `${would}${sent} sent, ${withoutAddress.length} without an e-mail address, ${refused.length} refused`,
      ...section('without an e-mail address:', withoutAddress, ({ id, userName }) => [id, userName]),
      ...section('refused:', refused, ({ id, userName, reason }) => [id, userName, reason]),
    ].join('\n')
  }
}

async function* peopleWithoutCredentials(
  { management }: Suite,
  { organizationId, notInvitedSince }: Pick<KnownPlan, 'organizationId' | 'notInvitedSince'>,
) {
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
