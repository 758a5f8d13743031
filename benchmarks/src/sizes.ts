/** How much is measured: `full` makes the figures of docs/benchmarks.md, `check` is enough to see a regression. */
export type BenchmarkSize = 'full' | 'check'

const SIZES = {
  /** Times that each contender gets its turn: odd, so that there is a middle one. */
  rounds: { full: 15, check: 9 },
  warmUpMs: { full: 2_500, check: 2_500 },
  /** Short, so that contenders are compared within a second or two, under the same load of the machine. */
  turnMs: { full: 500, check: 500 },
  /** Duration of arrivals at 40 % of saturation, once a round. */
  arrivalsMs: { full: 500, check: 500 },
  /** Clients that wait for their answers. */
  lanes: { full: 32, check: 32 },
  /** Users whose tokens are introspected in turn, and of the import. */
  users: { full: 100_000, check: 10_000 },
  /** Users of one organization, and as many in organizations of 20: the row takes less than two minutes. */
  usersOfOrganizations: { full: 40_000, check: 10_000 },
  /** How often a process is started. */
  starts: { full: 5, check: 3 },
} as const satisfies Record<string, Record<BenchmarkSize, number>>

export type Sizes = Readonly<Record<keyof typeof SIZES, number>>

/** `users` replaces both numbers of users. */
export function sizesOf(size: BenchmarkSize, users?: number): Sizes {
  const sizes = Object.fromEntries(
    Object.entries(SIZES).map(([name, values]) => [name, values[size]]),
  ) as Sizes
  return users === undefined ? sizes : { ...sizes, users, usersOfOrganizations: users }
}
