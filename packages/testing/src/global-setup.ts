import type { TestProject } from 'vitest/node'
import { findProgram, REQUIREMENTS } from '../../../scripts/system-packages.mjs'
import { type ServersOfRun, startServersOfRun } from './backing-services.ts'
import { devServers } from './dev-servers.ts'
import { TEST_SIZES } from './provided-context.ts'
import { stopWithParent } from './stop-with-parent.ts'

let servers: ServersOfRun | undefined

/** Tells the test files of a project which servers and programs they use. */
export async function setup(project: TestProject): Promise<void> {
  stopWithParent(teardown)
  Object.assign(process.env, await devServers(process.env))
  servers = await startServersOfRun(process.env)
  // The next project of this process finds the servers there.
  Object.assign(process.env, servers.env)
  project.provide('postgresUrl', servers.env.SIGNET_TEST_POSTGRES_URL)
  project.provide('redisUrl', servers.env.SIGNET_TEST_REDIS_URL)
  project.provide('runId', servers.env.SIGNET_TEST_RUN_ID)
  project.provide('testSize', TEST_SIZES.find((size) => size === process.env.SIGNET_TEST_SIZE) ?? 'small')
  project.provide(
    'chromiumPath',
    process.env.SIGNET_TEST_CHROMIUM || (findProgram(REQUIREMENTS.chromium) ?? ''),
  )
  project.provide('pgbouncerPath', findProgram(REQUIREMENTS.pgbouncer) ?? '')
}

export async function teardown(): Promise<void> {
  await servers?.stop()
}
