import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { StartFailure } from '@signet/platform/process/service'
import { measureLoad } from './measure/measure-load.ts'
import { comparisonOf, writeComparison } from './report/comparison.ts'
import { MISSED } from './report/format.ts'
import { type LoadResult, type Result, readResults, stampOfNow, writeResults } from './report/results.ts'
import { tablesOf, writeDocument } from './report/tables.ts'
import { authorize, passwordSignIn, signInPressure, signOut } from './rows/browser-rows.ts'
import { introspectFirst, introspectUsers } from './rows/introspect-users.ts'
import { KEYCLOAK_ROWS } from './rows/keycloak-rows.ts'
import { migration, migrationOfSmallOrganizations } from './rows/migration.ts'
import { processes, standalone } from './rows/processes.ts'
import {
  authorizePushed,
  clientAuthWorkload,
  clientCredentialsDpop,
  introspectBound,
  introspectWorkload,
} from './rows/proven-rows.ts'
import { providerSignIn } from './rows/provider-sign-in.ts'
import { discovery, introspect, keySet } from './rows/read-rows.ts'
import type { FigureRow, LoadRow } from './rows/row.ts'
import { idleMemory, startUp } from './rows/start-up.ts'
import {
  clientCredentials,
  clientCredentialsEs256,
  clientCredentialsRs256,
  refresh,
  revoke,
} from './rows/token-rows.ts'
import { type BenchmarkSize, type Sizes, sizesOf } from './sizes.ts'
import { openStage, type Stage } from './stage/stage.ts'

/** Rows in the order of the tables. The rows of many users come last of the loads, because they fill the directory. */
const ALL_ROWS: readonly (LoadRow | FigureRow)[] = [
  introspect,
  introspectBound,
  introspectWorkload,
  clientCredentials,
  clientCredentialsDpop,
  clientAuthWorkload,
  clientCredentialsRs256,
  clientCredentialsEs256,
  refresh,
  revoke,
  signOut,
  authorize,
  authorizePushed,
  passwordSignIn,
  providerSignIn,
  keySet,
  discovery,
  introspectUsers,
  introspectFirst,
  startUp,
  idleMemory,
  processes,
  standalone,
  migration,
  migrationOfSmallOrganizations,
  signInPressure,
]

/**
 * Measures the rows that are asked for, prints them, and either writes them into docs/ or, with `--check`, holds them to
 * their budgets. Answers the exit code.
 */
export async function runBenchmarks(args: readonly string[]): Promise<number> {
  const { rows, size, users, profileFolder, peers } = readArguments(args)
  if (peers) return comparePeers(rows)
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

/** Measures Signet beside Keycloak and prints the table; all rows together are written into docs/comparison.md. */
async function comparePeers(rows: readonly (LoadRow | FigureRow)[]): Promise<number> {
  const names = rows.map(({ name }) => name)
  const asked = KEYCLOAK_ROWS.filter(({ name }) => names.includes(name))
  const stage = await openStage(sizesOf('check'), { withKeycloak: true })
  try {
    const results: LoadResult[] = []
    for (const row of asked) results.push(await loadResult(row, stage))
    const text = comparisonOf(results, stage.keycloak?.startMs ?? Number.NaN)
    process.stdout.write(`${text}\n`)
    if (asked.length === KEYCLOAK_ROWS.length) await writeComparison(text)
    return 0
  } finally {
    await stage.stop()
  }
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
    const stage = await openStage(sizes, { profileFolder })
    try {
      for (const row of loads) yield await loadResult(row, stage)
    } finally {
      await stage.stop()
    }
  }
  for (const row of rows.filter((row) => row.kind === 'figures')) yield await figureResult(row, sizes)
}

async function loadResult(row: LoadRow, stage: Stage): Promise<LoadResult> {
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

interface BenchmarkArguments {
  readonly rows: readonly (LoadRow | FigureRow)[]
  /** `check` holds the figures to their budgets; `full` replaces the committed ones. */
  readonly size: BenchmarkSize
  /** Folder for the CPU profile of each process. */
  readonly profileFolder?: string
  /** Instead of the users of the size, a multiple of 20. */
  readonly users?: number
  /** Whether Signet is measured beside Keycloak. */
  readonly peers: boolean
}

/** Reads `[row…] [--check] [--users number] [--profile folder] [--peers]`; no row means all. Throws StartFailure that lists what there is. */
function readArguments(args: readonly string[]): BenchmarkArguments {
  const { values, positionals } = parsedArguments(args)
  const names = (values.peers ? KEYCLOAK_ROWS : ALL_ROWS).map(({ name }) => name)
  const unknown = positionals.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new StartFailure(`"${unknown}" is not one of ${names.join(', ')}`)
  return {
    rows: ALL_ROWS.filter(({ name }) => positionals.length === 0 || positionals.includes(name)),
    size: values.check ? 'check' : 'full',
    peers: values.peers,
    ...(values.profile !== undefined && { profileFolder: values.profile }),
    ...(values.users !== undefined && { users: readUsers(values.users) }),
  }
}

/** Organizations of the row `migration-organizations` have 20 users each. */
function readUsers(text: string): number {
  const users = Number(text)
  if (Number.isInteger(users) && users > 0 && users % 20 === 0) return users
  throw new StartFailure('--users must be a multiple of 20')
}

function parsedArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        check: { type: 'boolean', default: false },
        peers: { type: 'boolean', default: false },
        users: { type: 'string' },
        profile: { type: 'string' },
      },
    })
  } catch (error) {
    throw new StartFailure(error instanceof Error ? error.message : String(error), { cause: error })
  }
}
