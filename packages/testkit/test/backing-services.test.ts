import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ownServer, startBackingServices } from '../src/backing-services.ts'
import { dockerAnswers } from '../src/docker-services.ts'

it('uses the servers that the environment names and does not stop them', async () => {
  const services = await startBackingServices({
    SIGNET_TEST_POSTGRES_URL: 'postgresql://given:1/postgres',
    SIGNET_TEST_REDIS_URL: 'redis://given:2',
  })
  expect(services.postgres.url).toBe('postgresql://given:1/postgres')
  expect(services.redis.url).toBe('redis://given:2')
  await services.postgres.stop()
})

it('takes a private server where the Docker engine cannot start one', async () => {
  const service = (url: string) => async () => ({ url, stop: async () => {} })
  const fails = () => Promise.reject(new Error('no such image'))
  expect(await ownServer(service('redis://own'), fails)).toMatchObject({ url: 'redis://own' })
  expect(await ownServer(service('redis://own'), service('redis://container'))).toMatchObject({
    url: 'redis://container',
  })
})

it('sees a Docker engine that answers its ping, and does not wait for one that is silent', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'signet-docker-'))
  let silent = false
  const engine = createServer((request, response) => {
    if (!silent) response.writeHead(request.url === '/_ping' ? 200 : 404).end()
  }).listen(join(folder, 'docker.sock'))
  onTestFinished(async () => {
    engine.closeAllConnections()
    engine.close()
    await rm(folder, { recursive: true })
  })
  await expect(dockerAnswers(`unix://${folder}/docker.sock`)).resolves.toBe(true)
  silent = true
  const before = performance.now()
  await expect(dockerAnswers(`unix://${folder}/docker.sock`)).resolves.toBe(false)
  expect(performance.now() - before).toBeLessThan(2_000)
  await expect(dockerAnswers(`unix://${folder}/missing.sock`)).resolves.toBe(false)
})
