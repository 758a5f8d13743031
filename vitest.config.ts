import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Beside what they test, which keeps nothing between two of them: a process runs many of these files. */
const UNITS = '{apps,packages}/*/src/**/*.test.ts'
/** Made of parts that share a suite, which the module of the suite starts for each file. */
const SUITES = '{{apps,packages}/*,e2e}/test/**/*.suite.test.ts'
const TESTS = ['{{apps,packages}/*,deploy,e2e}/test/**/*.test.ts', 'scripts/test/*.test.mjs']
/** They need the history of the repository: `npm run test:soak` alone has them. */
const { SIGNET_TEST_SIZE, SIGNET_TEST_PROGRAMS } = process.env
const SOAK = SIGNET_TEST_SIZE === 'soak' ? ['{{apps,packages}/*,e2e}/test/**/*.soak.ts'] : []
/** They hold the product to a time that the design promises, which other tests on the same cores would use up. */
const TIMED = '{{apps,packages}/*,e2e}/test/**/*.timed.test.ts'

/** Files that need programs besides Redis and Chromium. `npm run test:full` installs and names these. */
const NEEDS: readonly (readonly [files: string, ...programs: string[]])[] = [
  ['deploy/test/chart-*.test.ts', 'helm'],
  ['deploy/test/monitoring.test.ts', 'helm', 'promtool'],
  ['e2e/test/standalone/pgbouncer.test.ts', 'pgbouncer'],
]
const programs = SIGNET_TEST_PROGRAMS?.split(',') ?? []
const NOT_HERE = NEEDS.filter(([, ...needed]) => !needed.every((program) => programs.includes(program)))

// Most tests wait for a database or another process: two files at a time even on small machines.
const WORKERS = Math.max(2, Math.floor(availableParallelism() / 2))

const common = {
  pool: 'forks' as const,
  // Without room from the start a process looks for garbage again and again while it loads what it tests.
  execArgv: ['--initial-heap-size=800'],
  testTimeout: 30_000,
  // Polled values appear within milliseconds, but not on a busy machine.
  expect: { poll: { timeout: 10_000 } },
  hookTimeout: 30_000,
  teardownTimeout: 30_000,
}

export default defineConfig({
  test: {
    globalSetup: ['packages/testing/src/global-setup.ts'],
    projects: [
      {
        test: { ...common, name: 'units', include: [UNITS], isolate: false, maxWorkers: WORKERS },
      },
      {
        test: {
          ...common,
          name: 'tests',
          // No module keeps state, and loading them again for every file is a sixth of all time.
          isolate: false,
          include: [...TESTS, ...SOAK],
          exclude: ['**/node_modules/**', '.tools/**', TIMED, SUITES, ...NOT_HERE.map(([files]) => files)],
          maxWorkers: WORKERS,
        },
      },
      {
        test: { ...common, name: 'suites', include: [SUITES], maxWorkers: WORKERS },
      },
      {
        // One file at a time, when the others are done.
        test: { ...common, name: 'timed', include: [TIMED], maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
})
