import { expect, it } from 'vitest'
import { readRedisUrl } from './redis-url.ts'

it('reads one server with credentials, database and TLS', () => {
  expect(readRedisUrl('rediss://signet:p%40ss@redis.internal:6380/3')).toEqual({
    layout: 'single',
    tls: true,
    hosts: [{ host: 'redis.internal', port: 6380 }],
    username: 'signet',
    password: 'p@ss',
    database: 3,
  })
  expect(readRedisUrl('redis://[::1]')).toMatchObject({ hosts: [{ host: '::1', port: 6379 }], database: 0 })
})

it('reads sentinels with the name of their primary and passwords of both kinds of server', () => {
  expect(readRedisUrl('redis+sentinel://:data@s1:26380,s2/signet/1?sentinelPassword=watch')).toEqual({
    layout: 'sentinel',
    tls: false,
    hosts: [
      { host: 's1', port: 26380 },
      { host: 's2', port: 26379 },
    ],
    password: 'data',
    database: 1,
    primaryName: 'signet',
    sentinelPassword: 'watch',
  })
})

it('reads the authority of the certificates, with TLS only', () => {
  expect(readRedisUrl('rediss://a:6379?ca=/run/signet/redis/ca.crt')).toMatchObject({
    caFile: '/run/signet/redis/ca.crt',
  })
  expect(readRedisUrl('rediss+sentinel://s/signet?sentinelPassword=x&ca=/ca.crt')).toMatchObject({
    sentinelPassword: 'x',
    caFile: '/ca.crt',
  })
  expect(readRedisUrl('redis://a:6379?ca=/ca.crt')).toBeUndefined()
})

it('reads the certificate of the client with its key, with TLS only', () => {
  expect(readRedisUrl('rediss+cluster://a:7000?cert=/tls.crt&key=/tls.key')).toMatchObject({
    ...{ certFile: '/tls.crt', keyFile: '/tls.key' },
  })
  for (const query of ['cert=/tls.crt', 'key=/tls.key', 'cert=&key=/tls.key', 'cert=/tls.crt&key='])
    expect(readRedisUrl(`rediss://a:6379?${query}`), query).toBeUndefined()
  expect(readRedisUrl('redis://a:6379?cert=/tls.crt&key=/tls.key')).toBeUndefined()
})

it('reads some nodes of a cluster', () => {
  expect(readRedisUrl('redis+cluster://a:7000,b:7001')).toMatchObject({
    layout: 'cluster',
    hosts: [
      { host: 'a', port: 7000 },
      { host: 'b', port: 7001 },
    ],
  })
})

it.each([
  'http://localhost:6379',
  'redis://a:6379,b:6379',
  'redis://password@localhost:6379',
  'redis+sentinel://a:26379',
  'redis+cluster://a:7000/1',
  'redis+cluster://a:7000?sentinelPassword=x',
  'redis+proxy://a:7000',
  'redis://a:0',
  'redis://a:6379/%E0%A4%A',
  'redis://:%E0%A4%A@a:6379',
])('refuses %s', (url) => {
  expect(readRedisUrl(url)).toBeUndefined()
})
