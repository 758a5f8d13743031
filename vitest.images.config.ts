import { defineConfig } from 'vitest/config'

/** The files of `npm run test:images`: tests that need a container engine, or a system that it has started. */
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
