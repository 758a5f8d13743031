import { defineConfig } from 'vitest/config'

/** What `npm run test:images` runs: tests that need a container engine, or what it has started. */
export default defineConfig({
  test: {
    include: ['e2e/test/images/*.images.ts', 'packages/testing/test/*.images.ts'],
    // They kill what the others use.
    fileParallelism: false,
    // Containers share the machine with everything else and are started again in the middle.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 120_000, interval: 500 } },
  },
})
