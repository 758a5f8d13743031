import { resolve } from 'node:path'
import { readArguments } from './arguments.ts'
import { measureLoad } from './measure/measure-load.ts'
import { writeDocument } from './report/document.ts'
import { MISSED } from './report/format.ts'
import { type Result, readResults, stampOfNow, writeResults } from './report/results.ts'
import { tablesOf } from './report/tables.ts'
import { ALL_ROWS } from './rows/all-rows.ts'
import type { FigureRow } from './rows/figure-row.ts'
import type { LoadRow } from './rows/row.ts'
import { type Sizes, sizesOf } from './sizes.ts'
import { openStage, type Stage } from './stage/stage.ts'

/**
 * Measures the rows that are asked for, prints them, and either writes them into docs/ or, with `--check`, holds them to
 * their budgets. Answers the exit code.
 */
export async function runBenchmarks(args: readonly string[]): Promise<number> {
  const { rows, size, users, profileFolder } = readArguments(args, ALL_ROWS)
  const committed = await readResults()
  const results: Result[] = []
  for await (const result of measured(rows, sizesOf(size, users), profileFolder)) {
    results.push(result)
    // After each row, so that one that fails does not take the others along.
    if (size === 'full' && users === undefined && profileFolder === undefined)
      await keep(merged(committed, results))
  }
  const tables = tablesOf(results)
  process.stdout.write(`${tables}\n`)
  if (profileFolder !== undefined) say(`profiles are in ${resolve(profileFolder)}`)
  if (size === 'full') return 0
  return tables.includes(MISSED) ? 1 : 0
}

async function keep(results: readonly Result[]): Promise<void> {
  await writeResults(results)
  await writeDocument(results)
}

async function* measured(
  rows: readonly (LoadRow | FigureRow)[],
  sizes: Sizes,
  profileFolder: string | undefined,
): AsyncGenerator<Result> {
  const loads = rows.filter((row) => row.kind === 'load')
  if (loads.length > 0) {
    const stage = await openStage(sizes, profileFolder)
    try {
      for (const row of loads) yield await loadResult(row, stage)
    } finally {
      await stage.stop()
    }
  }
  for (const row of rows.filter((row) => row.kind === 'figures')) yield await figureResult(row, sizes)
}

async function loadResult(row: LoadRow, stage: Stage): Promise<Result> {
  const { kind, name, title, limit, most } = row
  say(title)
  const stamp = await stampOfNow()
  const figures = await measureLoad(row, stage, Math.random)
  return {
    kind,
    name,
    title,
    stamp,
    ...(most && { most }),
    ...(limit !== undefined && { limit }),
    ...figures,
  }
}

async function figureResult({ kind, name, title, measure }: FigureRow, sizes: Sizes): Promise<Result> {
  say(title)
  return { kind, name, title, stamp: await stampOfNow(), figures: await measure(sizes) }
}

/** The committed results with the measured rows replaced. */
function merged(committed: readonly Result[], measured: readonly Result[]): readonly Result[] {
  return ALL_ROWS.flatMap(({ name }) => {
    const named = (result: Result) => result.name === name
    return measured.find(named) ?? committed.find(named) ?? []
  })
}

function say(text: string): void {
  process.stderr.write(`bench: ${text}\n`)
}
