import { defineConfig } from 'vitest/config'

/** The files of `npm run test:kubernetes`: tests that need the API server that it has built. */
export default defineConfig({
  test: {
    include: ['deploy/test/kubernetes/*.kubernetes.ts'],
    globalSetup: 'deploy/test/kubernetes/api-server.ts',
    // Each step starts Helm or kubectl some times.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
