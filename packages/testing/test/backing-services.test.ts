import { expect, it } from 'vitest'
import { ownServer, startBackingServices } from '../src/backing-services.ts'

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
