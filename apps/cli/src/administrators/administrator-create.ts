import { openSuite } from '../access/suite-access.ts'
import { type ManagementClient, managementClient } from '../api/management-client.ts'
import type { Command } from '../command.ts'
import { commandArguments } from '../command-arguments.ts'
import { outputFormat } from '../output/output-format.ts'
import { UsageError } from '../usage-error.ts'
import { durationMs } from './duration.ts'

/** A service user that administers the instance, with a personal access token that ends by itself. */
export const administratorCreate: Command = {
  synopsis: '--organization-id ID --user-name NAME [--expires-in 8h] [--output table|json|yaml]',
  summary: 'makes a service user that administers the instance, with a token that ends by itself',
  details: `The token is shown here and nowhere again. It ends after --expires-in, such as 30m, 8h or 2d; the user stays until
signet user delete, which ends the token at once.`,
  async run(args, context) {
    const { organizationId, userName, lifetimeMs, format } = readArguments(args)
    const client = managementClient({ call: await openSuite(context), randomId: context.randomId })
    const { body: user } = await client.call('service_user.create', { body: { organizationId, userName } })
    const expiresAt = new Date(context.now().getTime() + lifetimeMs).toISOString()
    const token = await empower(client, user.id, expiresAt).catch(async (error: unknown) => {
      await client.call('user.delete', { path: { userId: user.id } })
      throw error
    })
    context.say(
      format({ userId: user.id, userName: user.userName, expiresAt: token.expiresAt, token: token.token }),
    )
  },
}

async function empower(client: ManagementClient, userId: string, expiresAt: string) {
  await client.call('instance_member.set', { path: { userId }, body: { roles: ['IAM_OWNER'] } })
  return (await client.call('token.create', { path: { userId }, body: { expiresAt } })).body
}

function readArguments(args: readonly string[]) {
  const options = {
    'organization-id': { type: 'string' },
    'user-name': { type: 'string' },
    'expires-in': { type: 'string', default: '8h' },
    output: { type: 'string', default: 'table' },
  } as const
  const { values } = commandArguments({ args: [...args], options })
  const { 'organization-id': organizationId, 'user-name': userName } = values
  if (organizationId === undefined || userName === undefined) {
    throw new UsageError('give --organization-id and --user-name')
  }
  const lifetimeMs = durationMs(values['expires-in'])
  if (lifetimeMs === undefined) throw new UsageError('--expires-in: must be a duration such as 30m, 8h or 2d')
  return { organizationId, userName, lifetimeMs, format: outputFormat(values.output) }
}
