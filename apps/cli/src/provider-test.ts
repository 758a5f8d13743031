import { openSuite } from './access/suite-access.ts'
import { bodyOf, type Suite } from './api/suite.ts'
import type { AddCommand, CommandContext } from './context.ts'
import { CommandError } from './exit-codes.ts'
import { outputOption, printable, tableOf } from './output.ts'

const POLL_MS = 2_000
/** The link, the sign-in at the provider and the reading of the result have their time together. */
const LONGEST_MS = 20 * 60_000

type Result = Awaited<ReturnType<typeof takeResult>>

/** `identity-provider test`: a sign-in at a provider that changes nothing, and what it would have come to. */
export function addProviderTestCommand(add: AddCommand, context: CommandContext): void {
  add('identity-provider test')
    .description('signs in at an identity provider without changing anything, and shows what came of it')
    .argument('<providerId>', 'the identity provider')
    .option('--no-browser', 'print the link alone, to be opened in a browser with a session of yours')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Shows the claims that the provider sends, secrets hidden, and the account, profile and roles that a sign-in would end with. The exit code
is 12 when it would be refused.`,
    )
    .action(async (providerId, { browser, output }) => {
      const suite = await openSuite(context)
      const { id: testId, url } = bodyOf(
        await suite.management.POST('/management/v1/identity-providers/{providerId}/tests', {
          params: { path: { providerId } },
        }),
      )
      context.note(`Open this link within five minutes and sign in at the provider:\n${url}`)
      if (browser) await context.openBrowser(url).catch(() => undefined)
      const result = await waitForResult(suite, { providerId, testId }, context)
      context.say(output === tableOf ? resultText(result) : output(result))
      if (result.outcome?.endsWith('refused') || result.outcome === 'declined')
        throw new CommandError('findings', 'the sign-in would be refused')
    })
}

interface Test {
  readonly providerId: string
  readonly testId: string
}

async function waitForResult(
  suite: Suite,
  test: Test,
  { now, pause }: Pick<CommandContext, 'now' | 'pause'>,
): Promise<Result> {
  const end = now().getTime() + LONGEST_MS
  while (now().getTime() < end) {
    const result = await takeResult(suite, test)
    if (result.state === 'done') return result
    await pause(POLL_MS)
  }
  throw new CommandError('jobNotDone', 'the sign-in at the provider did not end in time')
}

async function takeResult({ management }: Suite, path: Test) {
  return bodyOf(
    await management.POST('/management/v1/identity-providers/{providerId}/tests/{testId}/take', {
      params: { path },
    }),
  )
}

const OUTCOMES: Readonly<Record<NonNullable<Result['outcome']>, string>> = {
  signs_in: 'signs in to an account that exists',
  creates: 'makes a new account',
  asks: 'asks the person whether to link or to make an account',
  refused: 'is REFUSED by a rule about accounts',
  provider_refused: 'is REFUSED: the answer of the provider broke a rule',
  declined: 'was cancelled at the provider',
}

function resultText({ outcome, rule, refusedBy, account, documents, ...identity }: Result): string {
  const facts = { rule, ...refusedBy, issuer: identity.issuer, subject: identity.subject, ...account }
  const lines = Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`],
  )
  const claims = Object.entries(documents ?? {}).map(
    ([name, received]) => `${name}: ${JSON.stringify(received, undefined, 2)}`,
  )
  const first = outcome === undefined ? 'no outcome' : OUTCOMES[outcome]
  const text = [`The sign-in ${first}. Nothing was changed.`, ...lines, ...claims].join('\n')
  return printable(text)
}
