import { createTestDatabase } from '@signet/testing/postgres-fixture'
import { expect, it, onTestFinished } from 'vitest'
import { type Logger, silentLogger } from '../../src/logger/logger.ts'
import { warnUnlessDurable } from '../../src/postgres/availability.ts'
import { createPool } from '../../src/postgres/pool.ts'

it.each([
  ['off', ['synchronous_commit_off']],
  ['on', []],
  ['remote_apply', []],
])('warns when synchronous_commit of the database is off: %s', async (level, expected) => {
  const server = await createTestDatabase({ migrations: [] })
  onTestFinished(() => server.drop())
  const pool = createPool({
    url: server.adminUrl,
    applicationName: 'test',
    max: 1,
    onIdleError: () => undefined,
  })
  onTestFinished(() => pool.close())
  const warnings: string[] = []
  const logger: Logger = { ...silentLogger, warn: (event) => void warnings.push(event) }
  const database = new URL(server.adminUrl.reveal()).pathname.slice(1)
  const configure = createPool({ url: server.adminUrl, applicationName: 'test', max: 1 })
  await configure.query({ name: '', text: `ALTER DATABASE ${database} SET synchronous_commit = ${level}` })
  await configure.close()
  await warnUnlessDurable(pool, logger)
  expect(warnings).toEqual(expected)
})
