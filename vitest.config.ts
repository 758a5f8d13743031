import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Vitest runs in the folder of one workspace, or at the root for files of several. */
const inWorkspaces = (pattern: string) => [pattern, `{{apps,packages}/*,deploy,docs,e2e}/${pattern}`]

/** Beside what they test, which keeps nothing between two of them: a process runs many of these files. */
const UNITS = [...inWorkspaces('src/**/*.test.ts'), 'scripts/test/*.test.mjs']
/** Tests that measure a time that the design promises, which other tests on the same cores would use up. */
const TIMED = inWorkspaces('test/**/*.timed.test.ts')

const {
  SIGNET_TEST_SIZE,
  SIGNET_TEST_PROGRAMS,
  SIGNET_TEST_INTEROP,
  SIGNET_TEST_PREVIOUS,
  TURBO_HASH,
  npm_lifecycle_event: script,
} = process.env
/** `npm run test:soak` alone has them. */
const SOAK = SIGNET_TEST_SIZE === 'soak' ? inWorkspaces('test/**/*.soak.ts') : []

/** `npm run test:interop` alone has them: they fetch libraries of other languages. */
const INTEROP = SIGNET_TEST_INTEROP === undefined ? [] : inWorkspaces('test/**/*.interop.ts')

/** `npm run test:upgrade` alone has them: they start an earlier version, from the history of the repository. */
const UPGRADE = SIGNET_TEST_PREVIOUS === undefined ? [] : inWorkspaces('test/**/*.upgrade.ts')

/** Files that need programs besides Redis and Chromium. `npm run test:full` installs and names these. */
const NEEDS: readonly (readonly [files: string, ...programs: string[]])[] = [
  ['test/chart-*.test.ts', 'helm'],
  ['test/monitoring*.test.ts', 'helm', 'promtool'],
  ['test/standalone/pgbouncer.test.ts', 'pgbouncer'],
]
/** Files that `npm run test:full` runs and `npm test` does not, which two cores finish within minutes, and why they can wait. */
export const ONLY_FULL: readonly (readonly [file: string, why: string])[] = [
  ['test/a-day-in-a-browser.test.ts', 'what other files of login test, in one browser over a day'],
  [
    'test/bootstrap-refusals.test.ts',
    'a start for each refused file; bootstrap-problems.test.ts has the rules',
  ],
  ['test/label-colours.test.ts', 'a search over colours; branding.test.ts has the pages in one of them'],
  ['test/console-details.test.ts', 'further acts in a browser; console.test.ts has one of each feature'],
  [
    'test/console-interactions.timed.test.ts',
    'a measurement that other work on the same cores makes longer; console.test.ts uses the same pages',
  ],
  [
    'test/migration-set-aside.test.ts',
    'an outage of minutes; migration-kills.test.ts ends the same processes',
  ],
  ['test/partition-traffic.test.ts', 'partitions under load; partition-store.test.ts has what they hold'],
  [
    'test/quick-starts.test.ts',
    'the pages block by block; documentation and command line have tests of their own',
  ],
  ['test/reference-page.test.ts', 'the page of the API in a browser; openapi.test.ts has what it shows'],
  [
    'test/refusal-times.timed.test.ts',
    'a measurement of a minute; verify-password.test.ts counts the hash of each refusal',
  ],
  ['test/site.test.ts', 'a build of the site; links.test.ts has the links between its files'],
  [
    'test/console-weekly-tasks.test.ts',
    'twenty ways through the console, counted; console.test.ts has their parts',
  ],
  ['test/show-password.test.ts', 'one button on every page that asks for a password, in a browser'],
]
const isFull = SIGNET_TEST_SIZE === 'full' || SIGNET_TEST_SIZE === 'soak'
const programs = SIGNET_TEST_PROGRAMS?.split(',') ?? []
const NOT_HERE = [
  ...NEEDS.filter(([, ...needed]) => !needed.every((program) => programs.includes(program))),
  ...(isFull ? [] : ONLY_FULL),
]

/** Files that take longest for their size. One that begins last would run alone, beside idle cores. */
const LONG = ['endings-model', 'lost-commits', 'role-search']

/** Large files first, as vitest sorts them without times of an earlier run, and `LONG` before all others. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((name) => moduleId.includes(`/${name}.`))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

const EXCLUDED = ['**/node_modules/**', ...NOT_HERE.flatMap(([files]) => inWorkspaces(files))]

const isEndToEnd = process.cwd().endsWith('/e2e')

const common = {
  pool: 'forks' as const,
  // Node.js loads the sources as it does in `npm run dev`, from its compile cache: Vite transforms every module again for each
  // workspace, 3 s of CPU for those of all services. No test mocks a module, which the loader of vitest is for.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  // Without room from the start a process looks for garbage again and again while it loads what it tests.
  execArgv: ['--initial-heap-size=800'],
  testTimeout: 60_000,
  // Polled values appear within milliseconds, but not on a busy machine.
  expect: { poll: { timeout: 20_000 } },
  // Services start in it, several at once.
  hookTimeout: 60_000,
  teardownTimeout: 30_000,
  // Three workspaces at a time (scripts/run.mjs) with two files each, which wait for databases and browsers: more of them keep
  // two cores no busier, and each test takes longer. One more in e2e, whose files would go on alone when the others are done.
  maxWorkers: Math.max(2, Math.floor(availableParallelism() / 2)) + (isEndToEnd ? 1 : 0),
}
const globalSetup = fileURLToPath(new URL('packages/testing/src/global-setup.ts', import.meta.url))
const onServers = { ...common, globalSetup }

export default defineConfig({
  test: {
    sequence: { sequencer: LongFilesFirst },
    // Turborepo keeps the report with the result of the task, and scripts/run.mjs counts the tests in it.
    reporters: TURBO_HASH
      ? ['default', ['json', { outputFile: `test-results/${script}.json` }]]
      : ['default'],
    projects: [
      { test: { ...common, name: 'units', include: UNITS, isolate: false } },
      {
        test: {
          ...onServers,
          name: 'tests',
          // No module keeps state, and loading them again for every file is a sixth of all time.
          isolate: false,
          include: [...inWorkspaces('test/**/*.test.ts'), ...SOAK, ...INTEROP, ...UPGRADE],
          exclude: [...EXCLUDED, ...TIMED],
        },
      },
      {
        // One file at a time, when the others are done.
        test: {
          ...onServers,
          name: 'timed',
          include: TIMED,
          exclude: EXCLUDED,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
