import { parseArgs } from 'node:util'
import { StartFailure } from '@signet/platform/process/service'
import type { FigureRow } from './rows/figure-row.ts'
import type { LoadRow } from './rows/row.ts'
import type { BenchmarkSize } from './sizes.ts'

export interface BenchmarkArguments {
  readonly rows: readonly (LoadRow | FigureRow)[]
  /** `check` holds the figures to their budgets; `full` replaces the committed ones. */
  readonly size: BenchmarkSize
  /** Where each process leaves a CPU profile. */
  readonly profileFolder?: string
  /** Instead of the users of the size, a multiple of 20. */
  readonly users?: number
}

/** Reads `[row…] [--check] [--users number] [--profile folder]`; no row means all. Throws StartFailure that lists what there is. */
export function readArguments(
  args: readonly string[],
  all: readonly (LoadRow | FigureRow)[],
): BenchmarkArguments {
  const { values, positionals } = parse(args)
  const names = all.map(({ name }) => name)
  const unknown = positionals.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new StartFailure(`"${unknown}" is not one of ${names.join(', ')}`)
  return {
    rows: all.filter(({ name }) => positionals.length === 0 || positionals.includes(name)),
    size: values.check ? 'check' : 'full',
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

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        check: { type: 'boolean', default: false },
        users: { type: 'string' },
        profile: { type: 'string' },
      },
    })
  } catch (error) {
    throw new StartFailure(error instanceof Error ? error.message : String(error), { cause: error })
  }
}
