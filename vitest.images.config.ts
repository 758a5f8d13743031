import { defineConfig } from 'vitest/config'

/** What `npm run test:images` runs: tests of containers that are there already. */
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['packages/end-to-end-tests/test/images/*.images.ts'],
    execArgv: ['--conditions=source'],
    // Containers share the machine with everything else and are started again in the middle.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 120_000, interval: 500 } },
  },
})
