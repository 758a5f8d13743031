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
}

/** Reads `[row…] [--check] [--profile folder]`; no row means all. Throws StartFailure that lists what there is. */
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
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { check: { type: 'boolean', default: false }, profile: { type: 'string' } },
    })
  } catch (error) {
    throw new StartFailure(error instanceof Error ? error.message : String(error), { cause: error })
  }
}
