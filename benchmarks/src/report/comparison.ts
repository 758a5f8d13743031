import { readFile, writeFile } from 'node:fs/promises'
import { KEYCLOAK_VERSION } from '@signet/testing/keycloak-server'
import type { ContenderFigures } from '../measure/measure-load.ts'
import { number, ratio, spread } from './format.ts'
import type { LoadResult } from './results.ts'
import { replaceFigures, stampLines, table } from './tables.ts'

const DOCUMENT = new URL('../../../docs/comparison.md', import.meta.url)
const MEBIBYTE = 1_048_576

/** The figures of Signet beside Keycloak as Markdown. `startMs`: a start of Keycloak on tables that exist. */
export function comparisonOf(results: readonly LoadResult[], startMs: number): string {
  return [
    table(
      [
        'a second, saturated',
        'Signet',
        `Keycloak ${KEYCLOAK_VERSION}`,
        'Signet / Keycloak',
        'CPU ms of Signet, with its databases',
        'of Keycloak',
        'ms p50 / p99 at 40 %, Signet',
        'Keycloak',
        'MiB afterwards, Signet',
        'Keycloak',
      ],
      results.map(lineOf),
    ),
    `Keycloak was ready ${number(startMs / 1_000)} s after its start, on tables that existed.`,
    table(['rows', 'commit', 'date', 'machine', 'load before'], stampLines(results)),
  ].join('\n\n')
}

/** Puts them between their marks in docs/comparison.md. */
export async function writeComparison(text: string): Promise<void> {
  await writeFile(DOCUMENT, replaceFigures(await readFile(DOCUMENT, 'utf8'), text))
}

function lineOf({ title, contenders: [signet, keycloak], ratios: [only] }: LoadResult): readonly string[] {
  if (signet === undefined || keycloak === undefined || only === undefined)
    throw new Error(`${title} has one server`)
  const both = [signet, keycloak]
  return [
    title,
    ...both.map(({ perSecond }) => spread(perSecond)),
    ratio(only),
    ...both.map((each) => number(cpuMs(each))),
    ...both.map(({ latency }) => `${number(latency.p50)} / ${number(latency.p99)}`),
    ...both.map(({ residentBytes }) => number(residentBytes / MEBIBYTE)),
  ]
}

const cpuMs = ({ cpuMicroseconds, redisMicroseconds, postgresMicroseconds }: ContenderFigures) =>
  (cpuMicroseconds.median + redisMicroseconds + postgresMicroseconds) / 1_000
