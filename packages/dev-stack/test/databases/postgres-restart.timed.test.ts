import { expect, it, onTestFinished } from 'vitest'
import { startPostgres } from '../../src/databases/postgres.ts'
import { dataDirectory } from './fixtures/data-directory.ts'

it('startPostgres is back within two seconds on the data of a server that was stopped', async () => {
  const folder = await dataDirectory()
  const start = async (durable: boolean) => {
    const postgres = await startPostgres({ dataDirectory: folder, durable })
    onTestFinished(() => postgres.discard())
    return postgres
  }
  await (await start(true)).stop()
  const before = performance.now()
  await start(false)
  expect(performance.now() - before).toBeLessThan(2_000)
})
