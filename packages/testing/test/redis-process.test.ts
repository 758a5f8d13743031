import { expect, it, onTestFinished } from 'vitest'
import { startRedisProcess } from '../src/redis-process.ts'

it('saves after a save in the background that is running', async () => {
  const server = await startRedisProcess()
  onTestFinished(() => server.drop())
  await server.admin.set('before', '1')
  const delayMicroseconds = 300_000
  await server.admin.config('SET', 'rdb-key-save-delay', delayMicroseconds)
  await server.admin.bgsave()
  await server.admin.config('SET', 'rdb-key-save-delay', 0)
  await server.admin.set('meanwhile', '1')
  await expect(server.admin.save()).rejects.toThrow('already in progress')
  await server.save()
  await server.restart()
  expect(await server.admin.mget('before', 'meanwhile')).toEqual(['1', '1'])
})
