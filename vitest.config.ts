import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Packages are run from their sources, in the test files and in processes and threads that they start.
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['{apps,packages}/*/{src,test}/**/*.test.ts', 'packages/toolchain/test/**/*.test.mjs'],
    globalSetup: ['packages/testkit/src/global-setup.ts'],
    pool: 'forks',
    execArgv: ['--conditions=source'],
    // Most tests wait for a database or another process: two files at a time even on small machines.
    maxWorkers: Math.max(2, Math.floor(availableParallelism() / 2)),
    testTimeout: 30_000,
    // What is polled for happens within milliseconds, but not on a machine that has other things to do.
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 30_000,
    teardownTimeout: 30_000,
  },
})
