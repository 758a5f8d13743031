import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments, stringify } from 'yaml'
import type { ChartObject } from './chart-object.ts'

export const CHART = fileURLToPath(new URL('../helm/signet', import.meta.url))

export type Values = Readonly<Record<string, unknown>>

export interface HelmAnswer {
  readonly code: number
  readonly output: string
  readonly problems: string
}

/** Runs Helm on the chart with these values. */
export async function helm(command: readonly string[], values: Values): Promise<HelmAnswer> {
  const args = [...command, CHART, '--namespace', 'identity', '--values', '-']
  return runProgram('helm', args, stringify(values), { HOME: tmpdir() })
}

/** Runs a program of the PATH with this input. */
export function runProgram(
  program: 'helm' | 'kubectl',
  args: readonly string[],
  input: string,
  more: Readonly<Record<string, string>>,
): Promise<HelmAnswer> {
  const options = { maxBuffer: 64 * 1024 * 1024, env: { PATH: process.env.PATH, ...more } }
  return new Promise((resolve) => {
    const child = execFile(program, args, options, (error, output, problems) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, output, problems }),
    )
    child.stdin?.end(input)
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
