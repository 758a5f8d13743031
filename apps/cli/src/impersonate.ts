import { openSuite } from './access/suite-access.ts'
import { bodyOf } from './api/suite.ts'
import type { AddCommand, CommandContext } from './context.ts'
import { withIds } from './operations/identifiers.ts'
import { outputOption, tableOf } from './output.ts'

const MEANING = `Open the link within a minute in a browser in which you are signed in, and confirm. You then act as the person there, for an hour at
most. Applications and the audit log say that it is you, and the person reads your name and the reason.`

/** `user impersonate`: a link by which an administrator acts as a person. */
export function addImpersonateCommand(add: AddCommand, context: CommandContext): void {
  add('user impersonate')
    .description('makes a link by which you act as a person, and opens it in the browser')
    .argument('<userId>', 'the person')
    .requiredOption('--reason <text>', 'why, in 10 to 500 characters; the person reads it')
    .option('--no-browser', 'print the link alone, to be opened in a browser with a session of yours')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Needs a role of impersonators, enableImpersonation of the security policy, allowImpersonation of the login policy, and a signet login of
a person within ten minutes. ${MEANING}`,
    )
    .action(async (person, { reason, browser, output }) => {
      const { management } = await openSuite(context)
      const path = await withIds({ userId: person }, management, context)
      const link = bodyOf(
        await management.POST('/management/v1/users/{userId}/impersonations', {
          params: { path },
          body: { reason },
        }),
      )
      context.note(MEANING)
      if (browser) await context.openBrowser(link.url).catch(() => undefined)
      context.say(output === tableOf ? link.url : output(link))
    })
}
