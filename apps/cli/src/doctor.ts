import { openSuite } from './access/suite-access.ts'
import type { operations } from './api/gen/schema.ts'
import { bodyOf } from './api/suite.ts'
import type { AddCommand, CommandContext } from './context.ts'
import { CommandError, UsageError } from './exit-codes.ts'
import { outputOption, table, tableOf } from './output.ts'

type Check = operations['instance.doctor']['responses'][200]['content']['application/json']['checks'][number]

/** `doctor` shows what an administrator should look at, after an upgrade above all. */
export function addDoctorCommand(add: AddCommand, context: CommandContext): void {
  for (const words of ['instance doctor', 'doctor']) {
    add(words)
      .description('lists what an administrator should look at, and what to do about each')
      .option(
        '--limit <number>',
        'how many objects of each check are listed, 100 unless given; all are counted',
      )
      .addOption(outputOption())
      .addHelpText(
        'after',
        `
Clients, projects, roles, tokens and addresses that a rule treats in another way than before an upgrade, or that cross
organizations. The exit code is 12 when there is something to look at.`,
      )
      .action(async ({ limit, output }) => {
        if (limit !== undefined && !/^\d+$/.test(limit)) throw new UsageError('--limit must be a number')
        const { management } = await openSuite(context)
        const params = { query: limit === undefined ? {} : { limit: Number(limit) } }
        const body = bodyOf(await management.GET('/management/v1/doctor', { params }))
        context.say(output === tableOf ? report(body.checks) : output(body))
        if (body.checks.length > 0) throw new CommandError(12, `${body.checks.length} checks found something`)
      })
  }
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
