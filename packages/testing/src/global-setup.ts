import { randomBytes } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { findProgram, REQUIREMENTS } from '../../../scripts/system-packages.mjs'
import { type BackingServices, startBackingServices } from './backing-services.ts'
import { dropDatabasesOfRun } from './database-names.ts'
import './provided-context.ts'

let services: BackingServices | undefined
const runId = randomBytes(4).toString('hex')

/** Starts what all test files share, once for the run. */
export async function setup(project: TestProject): Promise<void> {
  stopWithParent()
  services = await startBackingServices(process.env)
  project.provide('postgresUrl', services.postgres.url)
  project.provide('redisUrl', services.redis.url)
  project.provide('runId', runId)
  project.provide('testSize', process.env.SIGNET_TEST_SIZE === 'soak' ? 'soak' : 'small')
  project.provide(
    'chromiumPath',
    process.env.SIGNET_TEST_CHROMIUM || (findProgram(REQUIREMENTS.chromium) ?? ''),
  )
  project.provide('pgbouncerPath', findProgram(REQUIREMENTS.pgbouncer) ?? '')
}

/** Leaves nothing behind, on servers that were given either. */
export async function teardown(): Promise<void> {
  if (services === undefined) return
  const { postgres, redis } = services
  services = undefined
  await dropDatabasesOfRun(postgres.url, runId)
  await Promise.all([postgres.stop(), redis.stop()])
}

/** `npm test` holds an IPC channel to this process; when it closes the command was stopped and the run is over. */
function stopWithParent(): void {
  if (!process.connected) return
  process.once('disconnect', () => {
    void teardown().finally(() => process.exit(1))
  })
  process.channel?.unref()
}
