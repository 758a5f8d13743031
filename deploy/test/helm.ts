import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments, stringify } from 'yaml'
import type { ChartObject } from './chart-object.ts'

const CHART = fileURLToPath(new URL('../helm/signet', import.meta.url))

export type Values = Readonly<Record<string, unknown>>

export interface HelmAnswer {
  readonly code: number
  readonly output: string
  readonly problems: string
}

/** Runs Helm on the chart with these values. */
export async function helm(command: readonly string[], values: Values): Promise<HelmAnswer> {
  return new Promise((resolve) => {
    const child = execFile(
      'helm',
      [...command, CHART, '--namespace', 'identity', '--values', '-'],
      { maxBuffer: 16 * 1024 * 1024, env: { PATH: process.env.PATH, HOME: tmpdir() } },
      (error, output, problems) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, output, problems }),
    )
    child.stdin?.end(stringify(values))
  })
}

/** The objects of a release named signet. */
export async function renderChart(values: Values): Promise<readonly ChartObject[]> {
  return objectsIn(await renderText(values))
}

/** The same as text, as GitOps tools compare it. */
export async function renderText(values: Values, options: readonly string[] = []): Promise<string> {
  const { code, output, problems } = await helm(['template', 'signet', ...options], values)
  if (code !== 0) throw new Error(problems)
  return output
}

export function objectsIn(text: string): readonly ChartObject[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as ChartObject | null)
    .filter((object) => object !== null)
}
