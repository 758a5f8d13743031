import { defineConfig } from 'vitest/config'

/** What `npm run test:images` runs: tests that need a container engine, or what it has started. */
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['packages/end-to-end-tests/test/images/*.images.ts', 'packages/testkit/test/*.images.ts'],
    // They kill what the others use.
    fileParallelism: false,
    execArgv: ['--conditions=source'],
    // Containers share the machine with everything else and are started again in the middle.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 120_000, interval: 500 } },
  },
})
