import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { ContenderFigures, Ratio } from '../measure/measure-load.ts'
import type { Figure, LoadRow } from '../rows/row.ts'

/** When and where the figures of a row were taken. */
export interface Stamp {
  readonly commit: string
  readonly date: string
  readonly machine: string
  /** Other load at the start of the row: the mean length of the run queue over the last minute. */
  readonly loadBefore: number
}

interface ResultOfRow {
  readonly name: string
  readonly title: string
  readonly stamp: Stamp
}

export interface LoadResult extends ResultOfRow {
  readonly kind: 'load'
  readonly limit?: string
  readonly most?: LoadRow['most']
  readonly contenders: readonly ContenderFigures[]
  readonly ratios: readonly Ratio[]
  readonly generatorBusy: number
}

export interface FigureResult extends ResultOfRow {
  readonly kind: 'figures'
  readonly figures: readonly Figure[]
}

export type Result = LoadResult | FigureResult

const FILE = new URL('../../../docs/benchmarks.json', import.meta.url)

/** The committed figures; empty without a file. */
export async function readResults(): Promise<readonly Result[]> {
  const text = await readFile(FILE, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]'
    throw error
  })
  return JSON.parse(text) as Result[]
}

export async function writeResults(results: readonly Result[]): Promise<void> {
  // Four digits are more than any of them is worth.
  const rounded = (_name: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value
  await writeFile(FILE, `${JSON.stringify(results, rounded, 2)}\n`)
}

/** The stamp of a row that begins now. */
export async function stampOfNow(): Promise<Stamp> {
  const [cpu] = cpus()
  const gibibytes = Math.round(totalmem() / 2 ** 30)
  return {
    commit: await commit(),
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpu?.model.trim()}, ${availableParallelism()} cores, ${gibibytes} GiB, Node.js ${process.versions.node}`,
    loadBefore: loadavg()[0] ?? Number.NaN,
  }
}

async function commit(): Promise<string> {
  const git = async (...args: string[]) =>
    (await promisify(execFile)('git', args, { cwd: fileURLToPath(new URL('.', FILE)) })).stdout.trim()
  const changed = (await git('status', '--porcelain', '--', '..', ':!../docs')) !== ''
  return `${await git('rev-parse', '--short', 'HEAD')}${changed ? ' with changes' : ''}`
}
