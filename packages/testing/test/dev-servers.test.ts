import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { devServers } from '../src/dev-servers.ts'
import { freePort } from '../src/free-port.ts'
import { temporaryFolder } from '../src/temporary-folder.ts'

const folder = await temporaryFolder('dev-servers')
const file = join(folder, 'dev-servers.json')
const running = {
  SIGNET_TEST_POSTGRES_URL: inject('postgresUrl'),
  SIGNET_TEST_REDIS_URL: inject('redisUrl'),
  SIGNET_TEST_RUN_ID: 'kept',
  TMPDIR: folder,
}

it('finds the servers that run, unless the environment names others', async () => {
  expect(await devServers({}, file)).toEqual({})
  await writeFile(file, JSON.stringify(running))
  expect(await devServers({}, file)).toEqual(running)
  expect(await devServers({ SIGNET_TEST_REDIS_URL: 'redis://given:1' }, file)).toEqual({})
})

it('ignores the file of a process that was killed', async () => {
  const stopped = { ...running, SIGNET_TEST_REDIS_URL: `redis://127.0.0.1:${await freePort()}` }
  await writeFile(file, JSON.stringify(stopped))
  expect(await devServers({}, file)).toEqual({})
})
