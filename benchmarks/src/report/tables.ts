import { readFile, writeFile } from 'node:fs/promises'
import type { ContenderFigures } from '../measure/measure-load.ts'
import type { ContenderName } from '../rows/row.ts'
import { budget, number, ratio, spread, verdict } from './format.ts'
import type { FigureResult, LoadResult, Result } from './results.ts'

const DOCUMENT = new URL('../../../docs/benchmarks.md', import.meta.url)
const BETWEEN = /(<!-- figures -->\n)[\s\S]*(\n<!-- end of figures -->)/

/** Puts the figures between their marks in docs/benchmarks.md; the words around them stay. */
export async function writeDocument(results: readonly Result[]): Promise<void> {
  await writeFile(DOCUMENT, replaceFigures(await readFile(DOCUMENT, 'utf8'), tablesOf(results)))
}

/** Replaces what stands between the marks of a document. Throws for a document without them. */
export function replaceFigures(document: string, figures: string): string {
  if (!BETWEEN.test(document)) throw new Error('the document has lost the marks between which figures go')
  return document.replace(BETWEEN, (_, begin, end) => `${begin}\n${figures}\n${end}`)
}

const MEBIBYTE = 1_048_576
/** Busier than this, the generator may have been what limited a contender. */
const BUSY = 0.95

/** The figures as Markdown: load rows, then all others. */
export function tablesOf(results: readonly Result[]): string {
  const loads = results.filter((result) => result.kind === 'load')
  const figures = results.filter((result) => result.kind === 'figures')
  return [
    '### Operations a second, and ratios',
    table(
      ['command', 'operation', 'Signet', 'node-oidc-provider', 'limit', 'to the limit', 'to the peer'],
      loads.map(throughputLine),
    ),
    '### What an operation costs',
    table(
      [
        'row',
        'CPU µs of Signet',
        'of the peer',
        'of the limit',
        'of Redis and PostgreSQL for Signet',
        'CPU µs of Signet at 40 %',
        'ms p50 / p99 / p99.9 of Signet at 40 %',
        'of the peer',
        'of the limit',
        'budget at 40 %',
        'MiB of Signet afterwards',
      ],
      loads.map(costLine),
    ),
    '### Start, memory, migration',
    table(['command', 'figure', 'value', 'range', 'budget'], figures.flatMap(figureLines)),
    '### When and where',
    table(['rows', 'commit', 'date', 'machine', 'load before'], stampLines(results)),
  ].join('\n\n')
}

function throughputLine(result: LoadResult): readonly string[] {
  const { name, title, limit, ratios, generatorBusy } = result
  const rate = (contender: ContenderName) => {
    const found = of(result, contender)
    return found === undefined ? '' : spread(found.perSecond)
  }
  const ratioTo = (contender: ContenderName) => {
    const found = ratios.find((each) => each.of === contender)
    return found === undefined ? '' : ratio(found)
  }
  const busy = generatorBusy > BUSY ? '; the generator was busy all the time' : ''
  return [
    `\`npm run bench -- ${name}\``,
    `${title}${limit === undefined ? '' : `. Limit: ${limit}`}${busy}`,
    rate('signet'),
    rate('peer'),
    rate('limit'),
    ratioTo('limit'),
    ratioTo('peer'),
  ]
}

function costLine(result: LoadResult): readonly string[] {
  const names = ['signet', 'peer', 'limit'] as const
  const found = names.map((name) => of(result, name))
  return [
    result.name,
    ...found.map((each) => (each === undefined ? '' : number(each.cpuMicroseconds.median))),
    [found[0]?.redisMicroseconds, found[0]?.postgresMicroseconds]
      .map((each) => number(each ?? Number.NaN))
      .join(', '),
    number(found[0]?.cpuMicrosecondsAt40 ?? Number.NaN),
    ...found.map(latencyOf),
    [
      atMost('CPU µs', result.most?.cpuMicroseconds, found[0]?.cpuMicrosecondsAt40),
      atMost('p99 ms', result.most?.p99Ms, found[0]?.latency.p99),
    ]
      .filter(Boolean)
      .join('; '),
    number((found[0]?.residentBytes ?? Number.NaN) / MEBIBYTE),
  ]
}

const atMost = (name: string, most: number | undefined, value = Number.NaN) =>
  most === undefined ? '' : `${name} at most ${number(most)}: ${verdict(value <= most)}`

function latencyOf(figures: ContenderFigures | undefined): string {
  if (figures === undefined) return ''
  const { p50, p99, p999 } = figures.latency
  return [p50, p99, p999].map(number).join(' / ')
}

function figureLines({ name, figures }: FigureResult): readonly (readonly string[])[] {
  return figures.map((figure) => [
    `\`npm run bench -- ${name}\``,
    figure.name,
    `${number(figure.value)} ${figure.unit}`,
    figure.note ?? '',
    budget(figure),
  ])
}

/** Returns one line for each row: where and when it was measured. */
export function stampLines(results: readonly Result[]): readonly (readonly string[])[] {
  return results.map(({ name, stamp }) => [
    name,
    stamp.commit,
    stamp.date,
    stamp.machine,
    number(stamp.loadBefore),
  ])
}

const of = ({ contenders }: LoadResult, name: ContenderName) => contenders.find((each) => each.name === name)

/** A table in Markdown. */
export function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
