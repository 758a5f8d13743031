import { stringify } from 'yaml'
import type { AddCommand, CommandContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { outputOption, table, tableOf } from '../output.ts'
import { type Capacity, capacityFor, chartValues, demandOf } from './capacity.ts'

/** `size` computes what an installation needs; it calls no server. */
export function addSizeCommand(add: AddCommand, { say }: CommandContext): void {
  add('size')
    .description('computes pods, CPU, storage and connections for a number of people and requests')
    .requiredOption('--people <number>', 'accounts')
    .requiredOption('--sign-ins-per-second <number>', 'in the busiest minutes, like all rates')
    .option('--introspections-per-second <number>', 'ten for each sign-in unless given')
    .option('--refreshes-per-second <number>', 'two for each sign-in unless given')
    .option('--client-tokens-per-second <number>', 'client_credentials; one for each sign-in unless given')
    .option('--sign-ins-per-day <number>', 'as many as people unless given')
    .option('--endings-per-day <number>', 'sign-outs and revocations; a tenth of the people unless given')
    .option('--values', 'writes values of the Helm chart instead')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
docs/scaling.md says where each cost was measured and what is extrapolated. Measure your own installation by signet bench.`,
    )
    .action(({ output, values, ...options }) => {
      const given = Object.entries(options).map(([name, text]) => [name, numberOf(name, text)] as const)
      const { people = 0, signInsPerSecond = 0, ...others } = Object.fromEntries(given)
      const capacity = capacityFor({ ...demandOf(people, signInsPerSecond), ...others })
      if (values) say(stringify(chartValues(capacity)).trimEnd())
      else say(output === tableOf ? reportOf(capacity) : output(capacity))
    })
}

function numberOf(name: string, text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  const option = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  throw new UsageError(`--${option}: must be a number`)
}

function reportOf({ pods, warnings, ...stores }: Capacity): string {
  const rows = pods.map(({ component, cores, minReplicas, maxReplicas, requestMillicores }) => [
    component,
    `${cores}`,
    `${minReplicas}`,
    `${maxReplicas}`,
    `${requestMillicores}m`,
  ])
  const lines = [
    [
      'PostgreSQL',
      `${stores.postgresGigabytes} GB, ${stores.postgresCores} cores, ${stores.connections} connections`,
    ],
    ['Redis', `${stores.redisMegabytes} MB, busy for ${stores.redisShare} of its time`],
  ]
  return [
    table([['COMPONENT', 'CORES', 'MIN REPLICAS', 'MAX REPLICAS', 'CPU REQUEST'], ...rows]),
    table(lines),
    ...warnings.map((warning) => `- ${warning}`),
  ].join('\n\n')
}
