import { generateKeyPairSync } from 'node:crypto'
import { rpcClient } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import { KeyService } from '@signet/grpc/gen/keys/v1/key_service_pb'
import { createInProcessNetwork } from '@signet/grpc/in-process'
import { rpcService } from '@signet/grpc/service'
import { silentLogger } from '@signet/platform/logger/logger'
import { createFakeClock } from '@signet/testing/fake-clock'
import { describe, expect, it } from 'vitest'
import { createVerificationKeys } from '../../src/keys/verify-jws.ts'

const jwk = () => JSON.stringify(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }))

function setUp() {
  const served = { kids: new Map([['k1', jwk()]]), calls: 0, down: false }
  const network = createInProcessNetwork({ onFailure: () => {} })
  network.serve('keys', [
    rpcService(KeyService, {
      async *lease() {},
      async listPublicKeys() {
        served.calls += 1
        if (served.down) throw new RpcError('UNAVAILABLE', 'down')
        return { keys: [...served.kids].map(([kid, jwk]) => ({ kid, algorithm: 'EdDSA', jwk })) }
      },
      signArchiveManifest: async () => ({}),
      signIntrospectionResponse: async () => ({}),
      signAuthorizationResponse: async () => ({}),
    }),
  ])
  const clock = createFakeClock()
  const keys = createVerificationKeys({
    keys: rpcClient(KeyService, network.transport('login', 'keys')),
    now: clock.now,
    logger: silentLogger,
  })
  return { served, clock, keys }
}

describe('createVerificationKeys', () => {
  it('a key is found by its id and algorithm, not by its id alone [F-26]', async () => {
    const { keys } = setUp()
    expect((await keys.find('k1', 'EdDSA'))?.asymmetricKeyType).toBe('ed25519')
    expect(await keys.find('k1', 'RS256')).toBeUndefined()
  })

  it('D2: a storm of unknown ids costs one call in five seconds', async () => {
    const { served, clock, keys } = setUp()
    const storm = () => Promise.all(Array.from({ length: 500 }, (_, n) => keys.find(`random-${n}`, 'RS256')))
    expect(new Set(await storm())).toEqual(new Set([undefined]))
    await storm()
    expect(served.calls).toBe(1)
    clock.advance(5_000)
    await storm()
    expect(served.calls).toBe(2)
  })

  it('finds a key that was announced after the last look', async () => {
    const { served, clock, keys } = setUp()
    await keys.find('k1', 'EdDSA')
    served.kids.set('k2', jwk())
    clock.advance(5_000)
    expect(await keys.find('k2', 'EdDSA')).toBeDefined()
  })

  it('known keys work while the keys service is away; unknown ones are not called wrong', async () => {
    const { served, clock, keys } = setUp()
    await keys.find('k1', 'EdDSA')
    served.down = true
    clock.advance(3_600_000)
    expect(await keys.find('k1', 'EdDSA')).toBeDefined()
    await expect(keys.find('k2', 'EdDSA')).rejects.toMatchObject({ status: 503 })
    const { calls } = served
    await expect(keys.find('k3', 'EdDSA')).rejects.toMatchObject({ status: 503 })
    expect(served.calls).toBe(calls)
  })

  it('drops a key that is no longer published', async () => {
    const { served, clock, keys } = setUp()
    await keys.find('k1', 'EdDSA')
    served.kids.delete('k1')
    clock.advance(60_000)
    await expect.poll(() => keys.find('k1', 'EdDSA')).toBeUndefined()
  })
})
