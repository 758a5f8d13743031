import type { Lane } from '../load/lane.ts'
import type { Sizes } from '../sizes.ts'
import type { Stage } from '../stage/stage.ts'

/** `limit` is a bare Express handler with only the unavoidable work. */
export type ContenderName = 'signet' | 'peer' | 'limit'

export interface Contender {
  readonly name: ContenderName
  /** The processes that do the work. */
  readonly pids: readonly number[]
  /** The same operation over and over, by as many clients. */
  readonly lanes: readonly Lane[]
  /** Makes ready what a turn of so many milliseconds may use up. */
  readonly beforeTurn?: (durationMs: number) => Promise<void>
}

/** The smallest share of what another contender does, see the table in docs/benchmarks.md. */
export interface RatioBudget {
  readonly of: Exclude<ContenderName, 'signet'>
  readonly atLeast: number
}

/** Operations that are asked for over and over. The first contender is Signet. */
export interface LoadRow {
  readonly kind: 'load'
  readonly name: string
  readonly title: string
  /** The work of the limit; absent in rows without one. */
  readonly limit?: string
  readonly budgets: readonly RatioBudget[]
  /** The most milliseconds that the slowest hundredth may take at 40 % of saturation, and of CPU an operation. */
  readonly most?: { readonly p99Ms?: number; readonly cpuMicroseconds?: number }
  open(stage: Stage): Promise<readonly Contender[]>
}

/** Number that is not a rate of requests. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly budget?: { readonly atMost: number } | { readonly atLeast: number }
  /** How it came about, such as the extremes of several tries. */
  readonly note?: string
}

/** Row that is measured on an installation of its own. */
export interface FigureRow {
  readonly kind: 'figures'
  readonly name: string
  readonly title: string
  measure(sizes: Sizes): Promise<readonly Figure[]>
}
