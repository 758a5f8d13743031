import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { silentLogger } from '@signet/platform/logger/logger'
import { createDatabaseClock } from '@signet/platform/postgres/database-clock'
import { createPool } from '@signet/platform/postgres/pool'
import { createTestDatabase } from '@signet/testing/postgres-fixture'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { expect, it, onTestFinished } from 'vitest'
import { postgres } from '../src/postgres.ts'

const sql = (text: string) => ({ name: '', text })

it.each([
  ['SIGNET_POSTGRES_URL_FILE', (url: URL) => url.href],
  ['SIGNET_POSTGRES_PASSWORD_FILE', ({ password }: URL) => password],
])('connects with the password that %s has by then', async (setting, contentOf) => {
  const server = await createTestDatabase({ migrations: [] })
  onTestFinished(() => server.drop())
  const admin = createPool({ url: server.adminUrl, applicationName: 'test', max: 1 })
  onTestFinished(() => admin.close())
  const role = `test_${randomBytes(6).toString('hex')}`
  await admin.query(sql(`CREATE ROLE ${role} LOGIN PASSWORD 'first'`))
  onTestFinished(async () => void (await admin.query(sql(`DROP ROLE ${role}`))))
  const file = join(await temporaryFolder('postgres-url'), 'url')
  const write = async (password: string) => {
    const url = new URL(server.adminUrl.reveal())
    url.username = role
    url.password = password
    await writeFile(file, `${contentOf(url)}\n`)
  }
  await write('first')
  const plain = new URL(server.adminUrl.reveal())
  plain.username = role
  plain.password = ''
  const opened = postgres()({
    ...(setting === 'SIGNET_POSTGRES_PASSWORD_FILE' && { SIGNET_POSTGRES_URL: plain.href }),
    [setting]: file,
  })({ service: 'login', logger: silentLogger, clock: createDatabaseClock({ logger: silentLogger }) })
  onTestFinished(async () => void (await opened.close()))
  const query = () => opened.value.query(sql('SELECT 1'))
  const loseConnection = () =>
    expect(opened.value.query(sql('SELECT pg_terminate_backend(pg_backend_pid())'))).rejects.toThrow()
  await query()
  await admin.query(sql(`ALTER ROLE ${role} PASSWORD 'second'`))
  await loseConnection()
  await expect(query()).rejects.toMatchObject({
    name: 'DependencyUnavailableError',
    cause: { code: '28P01' },
  })
  await write('second')
  await query()
  await loseConnection()
  await rm(file)
  await query()
})
