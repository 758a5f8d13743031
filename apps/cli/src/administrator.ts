import { Option } from '@commander-js/extra-typings'
import { defaultOrganization, openSuite } from './access/suite-access.ts'
import { bodyOf, type Suite } from './api/suite.ts'
import type { AddCommand, CommandContext } from './context.ts'
import { UsageError } from './exit-codes.ts'
import { withIds } from './operations/identifiers.ts'
import { outputOption } from './output.ts'

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const USER = '/management/v1/users/{userId}'

/** `administrator create` makes a service user that administers the instance, with a personal access token that expires. */
export function addAdministratorCommand(add: AddCommand, context: CommandContext): void {
  add('administrator create')
    .description('makes a service user that administers the instance, with a token that ends by itself')
    .option('--organization <name>', 'the organization of the user; without it that of signet use')
    .addOption(new Option('--organization-id <id>').hideHelp())
    .option('--user-name <name>', 'the name of the user (required)')
    .option('--expires-in <duration>', 'when the token ends, such as 30m, 8h or 2d', '8h')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
The token is shown only once. The user exists until signet user delete, which also revokes the token.`,
    )
    .action(async ({ organization, organizationId: id, userName, expiresIn, output }) => {
      const given = organization ?? id ?? (await defaultOrganization(context))
      if (given === undefined || userName === undefined) {
        throw new UsageError('give --organization and --user-name')
      }
      const expiresAt = new Date(context.now().getTime() + durationMs(expiresIn)).toISOString()
      const { management } = await openSuite(context)
      const { organizationId } = await withIds({ organizationId: given }, management, context)
      const body = { organizationId, userName }
      const user = bodyOf(await management.POST('/management/v1/service-users', { body }))
      const token = await addToken(management, user.id, expiresAt).catch(async (error: unknown) => {
        await management.DELETE(USER, { params: { path: { userId: user.id } } })
        throw error
      })
      context.say(
        output({ userId: user.id, userName: user.userName, expiresAt: token.expiresAt, token: token.token }),
      )
    })
}

async function addToken(management: Suite['management'], userId: string, expiresAt: string) {
  const params = { path: { userId } }
  const roles = { roles: ['IAM_OWNER' as const] }
  await management.PUT('/management/v1/members/{userId}', { params, body: roles })
  return bodyOf(await management.POST(`${USER}/tokens`, { params, body: { expiresAt } }))
}

function durationMs(text: string): number {
  const [, amount, unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? []
  const unitMs = UNITS_MS[unit]
  if (amount === undefined || unitMs === undefined) {
    throw new UsageError('--expires-in: must be a duration such as 30m, 8h or 2d')
  }
  return Number(amount) * unitMs
}
