import { openSuite } from '../access/suite-access.ts'
import { managementClient, type OperationAnswer } from '../api/management-client.ts'
import type { Command } from '../command.ts'
import { commandArguments } from '../command-arguments.ts'
import { outputFormat } from '../output/output-format.ts'
import { table } from '../output/table.ts'
import { UsageError } from '../usage-error.ts'
import { DoctorFoundSomething } from './doctor-found-something.ts'

type Answer = OperationAnswer<'instance.doctor'>
type Check = Answer['checks'][number]

/** Shows what an administrator should look at, after an upgrade above all. */
export const doctorCommand: Command = {
  synopsis: '[--limit NUMBER] [--output table|json|yaml]',
  summary: 'lists what an administrator should look at, and what to do about each',
  details: `Clients, projects, roles, tokens and addresses that a rule treats in another way than before an upgrade, or that
cross organizations. --limit says how many objects of each check are listed, 100 unless given; all are counted. The exit
code is 12 when there is something to look at.`,
  async run(args, context) {
    const options = { limit: { type: 'string' }, output: { type: 'string', default: 'table' } } as const
    const { limit, output } = commandArguments({ args: [...args], options }).values
    if (limit !== undefined && !/^\d+$/.test(limit)) throw new UsageError('--limit must be a number')
    const client = managementClient({ call: await openSuite(context), randomId: context.randomId })
    const query = limit === undefined ? {} : { limit: Number(limit) }
    const { body } = await client.call('instance.doctor', { query })
    const { checks } = body
    context.say(output === 'table' ? report(checks) : outputFormat(output)(body))
    if (checks.length > 0) throw new DoctorFoundSomething(`${checks.length} checks found something`)
  },
}

function report(checks: readonly Check[]): string {
  return checks.length === 0 ? 'nothing to do' : checks.map(section).join('\n\n')
}

function section({ title, remedy, count, findings }: Check): string {
  const rows = findings.map(({ kind, id, organizationId, detail }) => [
    kind,
    id,
    organizationId ?? '-',
    detail,
  ])
  const more = count > findings.length ? [`and ${count - findings.length} more: --limit ${count}`] : []
  return [
    `${title} (${count})`,
    `  ${remedy}`,
    table([['KIND', 'ID', 'ORGANIZATION', 'DETAIL'], ...rows]),
    ...more,
  ].join('\n')
}
