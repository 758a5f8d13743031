import { openSuite } from './access/suite-access.ts'
import { bodyOf, type Suite } from './api/suite.ts'
import type { AddCommand, CommandContext } from './context.ts'
import { CommandError, UsageError } from './exit-codes.ts'
import { withIds } from './operations/identifiers.ts'
import { moment, outputOption, printable, tableOf } from './output.ts'

interface Question {
  readonly requestId?: string
  readonly user?: string
  readonly application?: string
}

type Refusal = Awaited<ReturnType<typeof refusalsOf>>[number]
type Access = Awaited<ReturnType<typeof accessOf>>
type Rule = Access['rules'][number]

/** `why` says why a request was refused, or what a person meets at an application now. */
export function addWhyCommand(add: AddCommand, context: CommandContext): void {
  add('why')
    .description('says why a request was refused, or why a person does not get into an application')
    .argument('[request-id]', 'the request id of a page, or the X-Request-Id of a response')
    .option('--user <user>', 'a person: what was refused to it')
    .option(
      '--application <application>',
      'an application: what was refused to it; with --user every rule, now',
    )
    .option(
      '--scope <scopes>',
      'the scopes of the request, with --user and --application; openid unless given',
    )
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Refusals are kept for a week, the newest 100 of each client, and shown as far as your roles reach. The exit code is 12 when a rule
refuses the person now.`,
    )
    .action(async (requestId, { user, application, scope, output }) => {
      if (requestId === undefined && user === undefined && application === undefined)
        throw new UsageError('give a request id, or --user and --application, or one of them')
      const suite = await openSuite(context)
      const names = await withIds({ userId: user, applicationId: application }, suite.management, context)
      const { userId, applicationId } = names
      if (requestId === undefined && userId !== undefined && applicationId !== undefined) {
        const access = await accessOf(suite, { userId, applicationId, scope })
        context.say(output === tableOf ? printable(accessText(access)) : output(access))
        if (!access.mayEnter) throw new CommandError('findings', 'a rule refuses the sign-in')
        return
      }
      if (scope !== undefined) throw new UsageError('--scope needs --user and --application')
      const items = await refusalsOf(suite, { requestId, user: userId, application: applicationId })
      context.say(output === tableOf ? printable(refusalsText(items)) : output({ items }))
    })
}

async function refusalsOf(
  { management }: Suite,
  { requestId, user, application }: { readonly [N in keyof Question]: string | undefined },
) {
  const query = {
    limit: 20,
    ...(requestId !== undefined && { requestId }),
    ...(user !== undefined && { user }),
    ...(application !== undefined && { application }),
  }
  return bodyOf(await management.GET('/management/v1/refusals', { params: { query } })).items
}

async function accessOf(
  { management }: Suite,
  {
    scope,
    ...named
  }: { readonly userId: string; readonly applicationId: string; readonly scope: string | undefined },
) {
  const query = { ...named, ...(scope !== undefined && { scope }) }
  return bodyOf(await management.GET('/management/v1/access-check', { params: { query } }))
}

function refusalsText(items: readonly Refusal[]): string {
  if (items.length > 0) return items.map(refusalText).join('\n\n')
  return 'no refusal is known: it is older than a week, of another client than yours, or no client was found (signet doctor)'
}

/** Returns the event, the rule and the cure as lines. */
function refusalText(refusal: Refusal): string {
  const { at, service, result, reason, clientId, userId, requestId, clientAddress, values } = refusal
  const isRegistration = service === 'directory' && refusal.applicationId === undefined
  const of = `${isRegistration ? 'initial access token' : 'application'} ${clientId}${userId === undefined ? '' : `, user ${userId}`}`
  const verb = result === 'refused' ? 'refused' : 'answered otherwise than asked'
  return [
    `${moment(at)}: ${service} ${verb}: ${reason}`,
    `  ${of}${clientAddress === undefined ? '' : `, from ${clientAddress}`}, request ${requestId}`,
    ...(refusal.cause === undefined ? [] : [`  Why:  ${refusal.cause}`]),
    ...Object.entries(values).map(([name, value]) => `  ${name}: ${value}`),
    ...(refusal.cure === undefined ? [] : [`  Cure: ${refusal.cure}`]),
  ].join('\n')
}

const MARKS: Readonly<Record<Rule['outcome'], string>> = {
  passed: 'passes',
  failed: 'FAILS',
  asked: 'asks',
  changed: 'changes',
}

function accessText({ mayEnter, rules }: Access): string {
  const asked = rules.filter(({ outcome }) => outcome === 'asked').length
  const end = mayEnter
    ? `The person gets in${asked > 0 ? ', after what is asked' : ''}.`
    : 'The person does not get in.'
  return [...rules.map(ruleText), end].join('\n')
}

function ruleText({ rule, outcome, text, value, source, cure }: Rule): string {
  const known = value === undefined || value === null ? [] : [`${valueText(value)}`]
  const of = source === undefined ? [] : [`of the ${source}`]
  const facts = [...known, ...of].join(' ')
  const line = `${MARKS[outcome].padEnd(8)}${rule}: ${text}${facts === '' ? '' : ` (${facts})`}`
  return cure === undefined ? line : `${line}\n        Cure: ${cure}`
}

const valueText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
