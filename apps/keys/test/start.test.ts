import { randomBytes } from 'node:crypto'
import { BlockList } from 'node:net'
import { ConfigurationError } from '@signet/platform/config/settings'
import { Secret } from '@signet/platform/config/settings-fields'
import { silentLogger } from '@signet/platform/logger/logger'
import { createPool } from '@signet/platform/postgres/pool'
import { StartFailure } from '@signet/platform/process/service'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import { createFakeClock } from '@signet/testing/fake-clock'
import { freePort } from '@signet/testing/free-port'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readKeysConfig } from '../src/config.ts'
import { startKeys } from '../src/service.ts'
import { createKeysDatabase, type KeysDatabase } from './fixtures/keys-database.ts'
import { createTokenPeer } from './fixtures/token-peer.ts'

let keys: KeysDatabase
beforeAll(async () => {
  keys = await createKeysDatabase()
})
afterAll(() => keys.drop())

function start(masterKeys: readonly Buffer[], database = keys.connect()) {
  return startKeys({
    config: {
      issuer: 'https://id.example.com',
      masterKeys: new Secret(masterKeys),
      trustedProxies: new BlockList(),
      oauthMetadata: false,
    },
    database,
    token: createTokenPeer().transport,
    logger: silentLogger,
    now: createFakeClock().now,
  })
}

const failureOf = (started: Promise<unknown>) =>
  started.then(
    () => expect.fail('it started'),
    (error: unknown) => error,
  )

describe('startKeys', () => {
  it('a wrong master key stops the start with one line that names the remedy [F-28]', async () => {
    const right = randomBytes(32)
    await (await start([right])).stop()
    const failure = await failureOf(start([randomBytes(32)]))
    expect(failure).toBeInstanceOf(StartFailure)
    expect((failure as Error).message).toMatch(
      /^SIGNET_KEYS_MASTER_KEY: .* master key [0-9a-f]{16}, .* add it/,
    )
    expect((failure as Error).message).not.toContain('\n')
    await (await start([randomBytes(32), right])).stop()
  })

  it('a database that is away for a moment does not end the process: the start may be tried again', async () => {
    const url = new Secret(`postgres://signet_keys:x@127.0.0.1:${await freePort()}/none`)
    const database = createPool({ url, applicationName: 'test' })
    const failure = await failureOf(start([randomBytes(32)], database))
    await database.close()
    expect(failure).toBeInstanceOf(DependencyUnavailableError)
  })

  it('a missing master key is a problem of the configuration', () => {
    const read = () => readKeysConfig({ SIGNET_ISSUER: 'https://id.example.com' })
    expect(read).toThrow(ConfigurationError)
    expect(read).toThrow('SIGNET_KEYS_MASTER_KEY: is required')
  })

  it('reads a list of master keys, newest first', () => {
    const list = [randomBytes(32), randomBytes(32)]
    const config = readKeysConfig({
      SIGNET_ISSUER: 'https://id.example.com',
      SIGNET_KEYS_MASTER_KEY: list.map((key) => key.toString('base64url')).join(','),
    })
    expect(config.masterKeys.reveal()).toEqual(list)
  })
})
