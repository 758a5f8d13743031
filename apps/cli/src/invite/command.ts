import { isEmailAddress } from '@signet/protocol/email-address'
import {
  type ListedPeople,
  type NewPerson,
  namesOf,
  readPeople,
  readPerson,
} from '@signet/protocol/listed-people'
import { defaultOrganization, openSuite } from '../access/suite-access.ts'
import { bodyOf, type Suite } from '../api/suite.ts'
import { type AddCommand, type CommandContext, createReadFailure, textOf } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { withIds } from '../operations/identifiers.ts'
import { outputOption, tableOf } from '../output.ts'
import { inviteKnown } from './known-people.ts'
import {
  type Bounds,
  type Invitations,
  type Invitee,
  refusalOf,
  requireNoneRefused,
  section,
  sendInvitations,
} from './sending.ts'

const DAY_MS = 86_400_000
/** An invitation is valid as long. */
const DEFAULT_DAYS = 7
/** The server knows messages as long. */
const MOST_DAYS = 30
const DEFAULT_PER_SECOND = 5
const MOST_PER_SECOND = 50

interface Options {
  readonly from?: string | undefined
  readonly withoutCredentials?: true | undefined
  readonly organization?: string | undefined
  readonly name?: string | undefined
  readonly userName?: string | undefined
  readonly role?: string[] | undefined
  readonly againAfter?: string | undefined
  readonly rate?: string | undefined
  readonly most?: string | undefined
  readonly dryRun: boolean
  readonly output: typeof tableOf
}

/** `invite` creates people with roles and sends them a link to choose a password, or sends it to people who have none yet. */
export function addInviteCommand(add: AddCommand, context: CommandContext): void {
  add('invite')
    .description('creates people with roles in an organization and sends them a link to choose a password')
    .argument('[address]', 'the e-mail address, or "Erin Example <erin@acme.example>"')
    .option('--from <file>', 'a file with an address in each line instead, - for standard input')
    .option(
      '--without-credentials',
      'people who are there, are active and have neither a password nor a passkey instead',
    )
    .option('--organization <name>', 'the organization of the people; without it that of signet use')
    .option('--name <name>', 'the name of the person; by default made of the address')
    .option('--user-name <name>', 'the user name; by default the part of the address before @')
    .option(
      '--role <project:role>',
      'a role in a project; may be repeated',
      (value: string, before: string[] = []) => [...before, value],
    )
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
  signet invite erin@acme.example --organization acme --name 'Erin Example' --role shop:buyer
  signet invite --from addresses.txt --organization acme --role shop:buyer

A person, the roles and the message are one request: all of it or nothing. People of the organization who have the address already
are passed over. The server sends the messages within its limits; the audit log has mail.delivery for each that it gave up. When
the command ends early, give it again: it goes on with the people to whom no invitation was sent.`,
    )
    .action(async (address, options) =>
      run(address, { ...options, output: options.output as typeof tableOf }, context),
    )
}

async function run(address: string | undefined, options: Options, context: CommandContext): Promise<void> {
  const { from, withoutCredentials } = options
  if ([address, from, withoutCredentials].filter((way) => way !== undefined).length !== 1)
    throw new UsageError('say who is invited: an address, --from FILE or --without-credentials')
  const days = numberOf('--again-after', options.againAfter, { unlessGiven: DEFAULT_DAYS, most: MOST_DAYS })
  const bounds: Bounds = {
    dryRun: options.dryRun,
    perSecond: numberOf('--rate', options.rate, { unlessGiven: DEFAULT_PER_SECOND, most: MOST_PER_SECOND }),
    most: numberOf('--most', options.most, { unlessGiven: Number.MAX_SAFE_INTEGER }),
  }
  refuseOtherOptions(address, options)
  const organization = options.organization ?? (await defaultOrganization(context))
  if (organization === undefined) throw new UsageError('give --organization NAME')
  if (withoutCredentials === undefined) {
    const people = await peopleOf(address, options, context)
    const suite = await openSuite(context)
    const { organizationId } = await withIds({ organizationId: organization }, suite.management, context)
    const grants = await grantsOf(options.role ?? [], suite, context)
    await inviteNew(suite, people, { organizationId, grants, bounds, options }, context)
    return
  }
  const suite = await openSuite(context)
  const { organizationId } = await withIds({ organizationId: organization }, suite.management, context)
  const notInvitedSince = new Date(context.now().getTime() - days * DAY_MS)
  await inviteKnown(suite, { organizationId, notInvitedSince, bounds, options }, context)
}

/** Refuses options that the way of naming people does not use. */
function refuseOtherOptions(address: string | undefined, options: Options): void {
  const { name, userName, role, againAfter, withoutCredentials } = options
  if (address === undefined && (name !== undefined || userName !== undefined))
    throw new UsageError('--name and --user-name are for one address')
  if (withoutCredentials !== undefined && role !== undefined)
    throw new UsageError('--role is for people who get an account; give others roles with signet user-grant')
  if (withoutCredentials === undefined && againAfter !== undefined)
    throw new UsageError('--again-after is for --without-credentials')
}

async function peopleOf(
  address: string | undefined,
  { from = '', name, userName }: Options,
  context: CommandContext,
): Promise<readonly NewPerson[]> {
  if (address === undefined) {
    const text = await textOf(from, context).catch(createReadFailure(from, '--from '))
    const { people, problems } = readPeople(text, isEmailAddress)
    if (problems.length > 0) throw noAddresses(problems)
    if (people.length === 0) throw new UsageError(`--from ${from}: has no address`)
    return people
  }
  const person = readPerson(address, isEmailAddress)
  if (person === undefined)
    throw new UsageError(
      `"${address}" is no e-mail address; signet user invite ID sends a person who is there a link`,
    )
  return [
    { ...person, ...(name !== undefined && namesOf(name)), ...(userName !== undefined && { userName }) },
  ]
}

const MOST_PROBLEMS = 20

function noAddresses(problems: ListedPeople['problems']): UsageError {
  const named = problems.slice(0, MOST_PROBLEMS).map(({ line, text }) => `line ${line}: "${text}"`)
  const more = problems.length > named.length ? ` and ${problems.length - named.length} more` : ''
  return new UsageError(
    `nobody was invited: write an address in each line, or Erin Example <erin@acme.example>; ${named.join(', ')}${more}`,
  )
}

interface GivenRoles {
  readonly projectId: string
  readonly roles: string[]
}

/** The roles of `--role project:role`, by project. */
async function grantsOf(
  given: readonly string[],
  { management }: Suite,
  context: CommandContext,
): Promise<GivenRoles[]> {
  const byProject = new Map<string, string[]>()
  for (const text of given) {
    const [, project = '', role = ''] = /^([^:]+):(.+)$/.exec(text) ?? []
    if (role === '') throw new UsageError(`--role ${text}: write PROJECT:ROLE, such as shop:buyer`)
    byProject.set(project, [...(byProject.get(project) ?? []), role])
  }
  return Promise.all(
    [...byProject].map(async ([project, roles]) => ({
      ...(await withIds({ projectId: project }, management, context)),
      roles: [...new Set(roles)],
    })),
  )
}

interface NewPlan {
  readonly organizationId: string
  readonly grants: GivenRoles[]
  readonly bounds: Bounds
  readonly options: Options
}

interface NewInvitee extends NewPerson, Invitee {}

async function inviteNew(
  suite: Suite,
  people: readonly NewPerson[],
  { organizationId, grants, bounds, options }: NewPlan,
  context: CommandContext,
): Promise<void> {
  const { management } = suite
  const there: Invitee[] = []
  const invited: Invitee[] = []
  const invitations: Invitations<NewInvitee> & { readonly invited: Invitee[]; readonly there: Invitee[] } = {
    dryRun: bounds.dryRun,
    sent: 0,
    invited,
    there,
    refused: [],
  }
  const createAndInvite = async ({ address, userName, givenName, familyName }: NewInvitee) => {
    const body = {
      organizationId,
      userName,
      profile: { givenName, familyName },
      email: { address, verified: false },
      grants,
    }
    return refusalOf(
      management.POST('/management/v1/invitations', { body }).then((response) => {
        invited.push({ id: bodyOf(response).user.id, userName })
      }),
    )
  }
  const end = await sendInvitations(newOf(), createAndInvite, { bounds, invitations }, context)
  if (options.output === tableOf) context.say(reportOfNew())
  else context.say(options.output(invitations))
  if (end !== undefined) throw end
  requireNoneRefused(invitations.refused)

  async function* newOf() {
    for (const person of people) {
      const query = { organizationId, email: person.address }
      const { items } = bodyOf(await management.GET('/management/v1/users', { params: { query } }))
      const [known] = items
      if (known === undefined) yield person
      else there.push({ id: known.id, userName: known.userName })
    }
  }

  function reportOfNew(): string {
    const { dryRun, sent, refused } = invitations
    const would = dryRun ? 'nothing was sent; it would be: ' : ''
    return [
      `${would}${sent} invited, ${there.length} there already, ${refused.length} refused`,
      ...section('invited:', invited, ({ id = '', userName }) => [id, userName]),
      ...section(
        'there already (signet user invite ID sends a link again):',
        there,
        ({ id = '', userName }) => [id, userName],
      ),
      ...section('refused:', refused, ({ address, reason }) => [address, reason]),
    ].join('\n')
  }
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
