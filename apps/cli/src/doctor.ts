import { openSuite } from './access/suite-access.ts'
import { ManagementApiError } from './api/errors.ts'
import { bodyOf, type Suite } from './api/suite.ts'
import type { AddCommand, CommandContext } from './context.ts'
import { CommandError, UsageError } from './exit-codes.ts'
import { checkFapi2 } from './fapi2-check.ts'
import { type Check, checkKeys, checkPrometheus, countStaticSettings } from './installation-checks.ts'
import type { ShownKey } from './keys.ts'
import { outputOption, table, tableOf } from './output.ts'
import { replacementOf } from './setting-secrets.ts'

const PROMETHEUS_TIMEOUT_MS = 10_000

/** `doctor` shows what an administrator should look at, after an upgrade above all. */
export function addDoctorCommand(add: AddCommand, context: CommandContext): void {
  for (const words of ['instance doctor', 'doctor']) {
    add(words)
      .description('lists what an administrator should look at, and what to do about each')
      .option(
        '--limit <number>',
        'how many objects of each check, and secrets of each kind, are listed, 100 unless given; all are counted',
      )
      .option('--prometheus <url>', 'checks versions, certificates and alerts in this Prometheus too')
      .option('--prometheus-job <name>', 'the label job of one installation, such as NAMESPACE/RELEASE')
      .option(
        '--fapi2 [application-id]',
        'lists instead the settings that keep this application, or each one that you may see, from fapi2',
      )
      .addOption(outputOption())
      .addHelpText(
        'after',
        `
Clients, projects, roles, tokens and addresses that a rule treats in another way than before an upgrade, or that cross
organizations; keys that do not rotate. The exit code is 12 when there is something to look at. Static secrets that are left
are listed by kind with who holds them, and what replaces each; with --prometheus the settings of the services that hold one, too.

Connections to PostgreSQL or Redis without TLS, and services that share a user of Redis, are in the logs of the services
alone: look for connection_not_protected.`,
      )
      .action(async ({ limit, output, prometheus, prometheusJob, fapi2 }) => {
        if (prometheus !== undefined && !(URL.canParse(prometheus) && /^https?:/.test(prometheus))) {
          throw new UsageError('--prometheus must be an http or https URL')
        }
        if (prometheusJob !== undefined && prometheus === undefined) {
          throw new UsageError('--prometheus-job needs --prometheus')
        }
        if (limit !== undefined && !/^\d+$/.test(limit)) throw new UsageError('--limit must be a number')
        if (fapi2 !== undefined && (limit !== undefined || prometheus !== undefined)) {
          throw new UsageError('--fapi2 takes neither --limit nor --prometheus: it runs no other check')
        }
        const suite = await openSuite(context)
        const { checks, staticSecrets } =
          fapi2 === undefined
            ? await installationChecks(suite, { limit, prometheus, prometheusJob }, context)
            : {
                checks: await checkFapi2(suite, fapi2 === true ? undefined : fapi2),
                staticSecrets: undefined,
              }
        context.say(
          output === tableOf
            ? [report(checks), ...secretsReport(staticSecrets)].join('\n\n')
            : output({ checks, ...(staticSecrets && { staticSecrets }) }),
        )
        if (checks.length > 0) throw new CommandError('findings', `${checks.length} checks found something`)
      })
  }
}

interface Limits {
  readonly limit: string | undefined
  readonly prometheus: string | undefined
  readonly prometheusJob: string | undefined
}

interface Installation {
  readonly checks: readonly Check[]
  /** Undefined from a Signet of an earlier version. */
  readonly staticSecrets: readonly StaticSecrets[] | undefined
}

interface StaticSecrets {
  readonly kind: string
  readonly count: number
  readonly replacement: string
  /** Undefined from a Signet of an earlier version. */
  readonly secrets?: readonly Finding[]
}

type Finding = Check['findings'][number]

async function installationChecks(
  suite: Suite,
  { limit, prometheus, prometheusJob }: Limits,
  context: CommandContext,
): Promise<Installation> {
  const params = { query: limit === undefined ? {} : { limit: Number(limit) } }
  const body = bodyOf(await suite.management.GET('/management/v1/doctor', { params }))
  const { fetch } = context
  const now = context.now()
  const job = prometheusJob
  const ofPrometheus = { job, fetch, timeoutMs: PROMETHEUS_TIMEOUT_MS }
  const checks = [
    ...body.checks,
    ...checkKeys(await readKeys(suite, context), now),
    ...(prometheus === undefined ? [] : await checkPrometheus({ url: prometheus, now, ...ofPrometheus })),
  ]
  if (prometheus === undefined) return { checks, staticSecrets: body.staticSecrets }
  const ofSettings = await countStaticSettings({ url: prometheus, ...ofPrometheus })
  const replaced = ofSettings.map(({ setting, services }) => ({
    ...{ kind: setting, count: services.length, replacement: replacementOf(setting) },
    secrets: services.map((id) => ({ kind: 'process', id, organizationId: null, detail: setting })),
  }))
  return { checks, staticSecrets: [...(body.staticSecrets ?? []), ...replaced] }
}

/** None, with a note, for a caller who may not see them. */
async function readKeys(suite: Suite, { note }: CommandContext): Promise<readonly ShownKey[]> {
  try {
    const response = await suite.call({ method: 'GET', path: '/management/v1/keys', repeatable: true })
    const { keys } = (await response.json()) as { keys: ShownKey[] }
    return keys
  } catch (error) {
    if (!(error instanceof ManagementApiError) || error.status !== 403) throw error
    note(`the keys were not checked: ${error.message}`)
    return []
  }
}

function report(checks: readonly Check[]): string {
  return checks.length === 0 ? 'nothing to do' : checks.map(section).join('\n\n')
}

/** Static secrets are no findings: an installation may have reasons for each. */
function secretsReport(secrets: readonly StaticSecrets[] = []): readonly string[] {
  if (secrets.length === 0) return []
  const rows = secrets.map(({ kind, count, replacement }) => [kind, String(count), replacement])
  const overview = ['Static secrets that are left', table([['KIND', 'COUNT', 'REPLACED BY'], ...rows])]
  const named = secrets.flatMap(({ kind, count, secrets: list = [] }) =>
    list.length === 0 ? [] : [[`${kind} (${count})`, ...findingLines(list, count)].join('\n')],
  )
  return [overview.join('\n'), ...named]
}

function section({ title, remedy, count, findings }: Check): string {
  return [`${title} (${count})`, `  ${remedy}`, ...findingLines(findings, count)].join('\n')
}

function findingLines(findings: readonly Finding[], count: number): readonly string[] {
  const rows = findings.map(({ kind, id, organizationId, detail }) => [
    kind,
    id,
    organizationId ?? '-',
    detail,
  ])
  const more = count > findings.length ? [`and ${count - findings.length} more: --limit ${count}`] : []
  return [table([['KIND', 'ID', 'ORGANIZATION', 'DETAIL'], ...rows]), ...more]
}
