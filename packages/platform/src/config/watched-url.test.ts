import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { describe, expect, it } from 'vitest'
import { ConfigurationError } from './settings.ts'
import { watchedUrl } from './watched-url.ts'

function problemsOf(env: Record<string, string>, name: Parameters<typeof watchedUrl>[1]): readonly string[] {
  try {
    watchedUrl(env, name)
    return []
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems
    throw error
  }
}

describe('watchedUrl', () => {
  it.each([
    [
      'postgres://signet_login@db:5432/signet?sslmode=require',
      'postgres://signet_login:p%40%2F%3A@db:5432/signet?sslmode=require',
    ],
    ['postgres://signet_login:@db/signet', 'postgres://signet_login:p%40%2F%3A@db/signet'],
  ])('puts the password into %s', (address, expected) => {
    const env = { SIGNET_POSTGRES_URL: address, SIGNET_POSTGRES_PASSWORD: 'p@/:' }
    expect(watchedUrl(env, 'SIGNET_POSTGRES_URL').reveal()).toBe(expected)
  })

  it.each([
    ['redis://cache:6379', 'redis://:secret@cache:6379'],
    ['rediss+cluster://signet:@a:7000,b:7000', 'rediss+cluster://signet:secret@a:7000,b:7000'],
    [
      'rediss+sentinel://a:1,b:2/signet?ca=/ca.crt',
      'rediss+sentinel://:secret@a:1,b:2/signet?ca=/ca.crt&sentinelPassword=other%20one',
    ],
    [
      'redis+sentinel://a:1,b:2/signet',
      'redis+sentinel://:secret@a:1,b:2/signet?sentinelPassword=other%20one',
    ],
  ])('puts the passwords into %s', (address, expected) => {
    const env = {
      SIGNET_QUEUE_REDIS_URL: address,
      SIGNET_QUEUE_REDIS_PASSWORD: 'secret',
      ...(address.includes('sentinel') && { SIGNET_QUEUE_REDIS_SENTINEL_PASSWORD: 'other one' }),
    }
    expect(watchedUrl(env, 'SIGNET_QUEUE_REDIS_URL').reveal()).toBe(expected)
  })

  it('leaves an address alone that has its password, or needs none', () => {
    for (const address of ['redis://:secret@cache', 'redis://cache'])
      expect(watchedUrl({ SIGNET_REDIS_URL: address }, 'SIGNET_REDIS_URL').reveal()).toBe(address)
  })

  it('reads the file again each time, and keeps its last content while the file is away or empty', async () => {
    const file = join(await temporaryFolder('watched-url'), 'password')
    writeFileSync(file, 'first\n')
    const env = { SIGNET_REDIS_URL: 'redis://cache', SIGNET_REDIS_PASSWORD_FILE: file }
    const url = watchedUrl(env, 'SIGNET_REDIS_URL')
    writeFileSync(file, 'second\n')
    expect(url.reveal()).toBe('redis://:second@cache')
    writeFileSync(file, '')
    expect(url.reveal()).toBe('redis://:second@cache')
    rmSync(file)
    expect(url.reveal()).toBe('redis://:second@cache')
  })

  it('refuses a password that is given twice, a file that is absent or empty, and a password without sentinels', async () => {
    const file = join(await temporaryFolder('watched-url'), 'password')
    const redis = { SIGNET_REDIS_URL: 'redis://:secret@cache' }
    expect(problemsOf({ ...redis, SIGNET_REDIS_PASSWORD: 'other' }, 'SIGNET_REDIS_URL')).toEqual([
      'SIGNET_REDIS_PASSWORD: the password stands in SIGNET_REDIS_URL too; keep one',
    ])
    expect(problemsOf({ ...redis, SIGNET_REDIS_SENTINEL_PASSWORD: 'x' }, 'SIGNET_REDIS_URL')).toEqual([
      'SIGNET_REDIS_SENTINEL_PASSWORD: needs a redis+sentinel:// address without a sentinelPassword in SIGNET_REDIS_URL',
    ])
    const postgres = { SIGNET_POSTGRES_URL: 'postgres://x@db/signet', SIGNET_POSTGRES_PASSWORD_FILE: file }
    expect(problemsOf(postgres, 'SIGNET_POSTGRES_URL')).toEqual([
      'SIGNET_POSTGRES_PASSWORD: cannot read the file that SIGNET_POSTGRES_PASSWORD_FILE names (ENOENT)',
    ])
    writeFileSync(file, '\n')
    expect(problemsOf(postgres, 'SIGNET_POSTGRES_URL')).toEqual([
      'SIGNET_POSTGRES_PASSWORD: the file that SIGNET_POSTGRES_PASSWORD_FILE names is empty',
    ])
  })
})
