import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { type RpcClient, rpcClient } from '@signet/grpc/client'
import { KeyService, type LeaseResponse, Ring as WireRing } from '@signet/grpc/gen/keys/v1/key_service_pb'
import { startGrpcServer } from '@signet/grpc/grpc-server'
import { grpcTransport } from '@signet/grpc/grpc-transport'
import { createInProcessNetwork } from '@signet/grpc/in-process'
import { silentLogger } from '@signet/platform/logger/logger'
import type { ServiceName } from '@signet/platform/process/service'
import { type KeyLease, type Ring, startKeyLease } from '@signet/tokens/keys/key-lease'
import { createJwsVerifier, createVerificationKeys } from '@signet/tokens/keys/verify-jws'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ISSUER, type RunningKeys, runKeys } from './fixtures/running-keys.ts'

const DAY = 86_400_000
const DEADLINE = { timeoutMs: 5_000 }
const ALL_RINGS: readonly Ring[] = ['signing', 'access-seal', 'code-seal', 'refresh-mac', 'origin-mac']

interface Wiring {
  client(caller: ServiceName): RpcClient<typeof KeyService>
  close(): Promise<void>
}

async function inProcess({ service }: RunningKeys): Promise<Wiring> {
  const network = createInProcessNetwork({ onFailure: () => {} })
  network.serve('keys', service.rpc ?? [])
  return {
    client: (caller) => rpcClient(KeyService, network.transport(caller, 'keys')),
    close: async () => network.withdraw('keys'),
  }
}

async function overGrpc({ service }: RunningKeys): Promise<Wiring> {
  const onFailure = () => {}
  const server = await startGrpcServer({
    services: service.rpc ?? [],
    host: '127.0.0.1',
    port: 0,
    onFailure,
  })
  const transports: { close(): void }[] = []
  return {
    client(caller) {
      const transport = grpcTransport({ address: `127.0.0.1:${server.port}`, caller, callee: 'keys' })
      transports.push(transport)
      return rpcClient(KeyService, transport)
    },
    async close() {
      for (const transport of transports) transport.close()
      await server.stop(500)
    },
  }
}

describe.each([
  ['in process', inProcess],
  ['over gRPC', overGrpc],
] as const)('KeyService %s', (_name, wire) => {
  let keys: RunningKeys
  let wiring: Wiring
  const leases: KeyLease[] = []

  beforeEach(async () => {
    keys = await runKeys()
    wiring = await wire(keys)
  })
  afterEach(async () => {
    await Promise.all(leases.splice(0).map((lease) => lease.stop()))
    await wiring.close()
    await keys.stop()
  })

  async function leaseOf(caller: ServiceName, rings: readonly Ring[]): Promise<KeyLease> {
    const options = { keys: wiring.client(caller), rings, now: keys.clock.now, logger: silentLogger }
    const lease = startKeyLease({ ...options, random: () => 0 })
    leases.push(lease)
    await expect.poll(() => lease.ready()).toBe(true)
    return lease
  }
  const keySet = async () =>
    createLocalJWKSet((await (await fetch(`${keys.url}/oauth/v2/keys`)).json()) as JSONWebKeySet)

  it('token holds every ring, and its signatures verify with the key set', async () => {
    const lease = await leaseOf('token', ALL_RINGS)
    for (const alg of ['RS256', 'ES256', 'EdDSA'] as const) {
      const jwt = await lease.sign(alg, 'JWT', { sub: 'alice' })
      const verified = await jwtVerify(jwt, await keySet(), { algorithms: [alg] })
      expect(verified.payload.sub).toBe('alice')
    }
    for (const ring of ['access-seal', 'code-seal', 'refresh-mac', 'origin-mac'] as const) {
      expect(lease.symmetricKeys(ring).map(({ state }) => state)).toEqual([
        ...['announced', 'announced', 'active'],
      ])
    }
  })

  it('introspection holds access-seal only', async () => {
    const lease = await leaseOf('introspection', ['access-seal'])
    expect(lease.symmetricKeys('access-seal')).toHaveLength(3)
    for (const ring of [WireRing.SIGNING, WireRing.CODE_SEAL, WireRing.REFRESH_MAC, WireRing.ORIGIN_MAC]) {
      const stream = wiring.client('introspection').lease({ rings: [WireRing.ACCESS_SEAL, ring] })
      await expect(first(stream)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' })
    }
  })

  describe('the manifest of an archive', () => {
    const section = (name: string) => ({ name, count: 2n, sha256: Buffer.alloc(32, 1) })
    const archive = { createdAt: timestampFromDate(new Date(0)), sha256: Buffer.alloc(32, 7) }

    it('is signed for migration with a key of the key set, and is no token', async () => {
      const sections = [section('orgs'), section('humanUsers')]
      const { jws } = await wiring.client('migration').signArchiveManifest({ ...archive, sections }, DEADLINE)
      const { payload, protectedHeader } = await compactVerify(jws, await keySet())
      expect(protectedHeader).toMatchObject({ alg: 'RS256', typ: 'signet-archive-manifest+jws' })
      expect(JSON.parse(Buffer.from(payload).toString())).toEqual({
        format: 'signet-archive-manifest',
        version: 1,
        issuer: ISSUER,
        createdAt: '1970-01-01T00:00:00.000Z',
        sha256: '07'.repeat(32),
        sections: {
          orgs: { count: 2, sha256: '01'.repeat(32) },
          humanUsers: { count: 2, sha256: '01'.repeat(32) },
        },
      })
      const verify = createJwsVerifier(
        createVerificationKeys({ keys: wiring.client('login'), now: keys.clock.now, logger: silentLogger }),
      )
      expect(await verify(jws, 'signet-archive-manifest+jws')).toBeDefined()
      for (const typ of ['JWT', 'at+jwt', 'logout+jwt']) expect(await verify(jws, typ)).toBeUndefined()
    })

    it('is signed for no other service', async () => {
      for (const caller of ['login', 'token', 'introspection', 'directory'] as const) {
        const signing = wiring.client(caller).signArchiveManifest({ ...archive, sections: [] }, DEADLINE)
        await expect(signing).rejects.toMatchObject({ code: 'PERMISSION_DENIED' })
      }
    })

    it('is refused when it is not described as it must be', async () => {
      const names = Array.from({ length: 101 }, (_, index) => `list${'x'.repeat(index % 50)}`)
      for (const described of [
        {},
        { ...archive, sha256: Buffer.alloc(31) },
        { ...archive, sections: [section('iss"')] },
        { ...archive, sections: [section('orgs'), section('orgs')] },
        { ...archive, sections: [{ ...section('orgs'), sha256: Buffer.alloc(33) }] },
        { ...archive, sections: names.map(section) },
      ]) {
        const signing = wiring.client('migration').signArchiveManifest(described, DEADLINE)
        await expect(signing).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
      }
    })
  })

  it('other services hold no lease, and an empty lease is refused', async () => {
    for (const caller of ['login', 'directory', 'migration'] as const) {
      const stream = wiring.client(caller).lease({ rings: [WireRing.ACCESS_SEAL] })
      await expect(first(stream)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' })
    }
    for (const rings of [[], [WireRing.UNSPECIFIED]]) {
      await expect(first(wiring.client('token').lease({ rings }))).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
    }
  })

  it('says all keys at once, then gives signs of life, and all keys again with every change', async () => {
    const aborted = new AbortController()
    const messages: LeaseResponse[] = []
    const options = { signal: aborted.signal }
    const reading = (async () => {
      for await (const message of wiring.client('token').lease({ rings: [WireRing.ACCESS_SEAL] }, options)) {
        messages.push(message)
      }
    })().catch(() => undefined)
    await expect.poll(() => messages.length).toBeGreaterThan(2)
    expect(messages[0]).toMatchObject({
      heartbeat: false,
      keys: [{ algorithm: 'A256GCM' }, { algorithm: 'A256GCM' }, { algorithm: 'A256GCM' }],
    })
    expect(messages[1]).toMatchObject({ heartbeat: true, keys: [], revision: messages[0]?.revision })
    keys.clock.advance(DAY)
    await expect.poll(() => messages.filter(({ heartbeat }) => !heartbeat).length).toBe(2)
    const last = messages.findLast(({ heartbeat }) => !heartbeat)
    expect(last?.keys).toHaveLength(4)
    expect(last?.revision).toBeGreaterThan(messages[0]?.revision ?? 0n)
    aborted.abort()
    await reading
  })

  it('publishes the date of every transition of a public key', async () => {
    const { keys: published } = await wiring.client('login').listPublicKeys({}, { timeoutMs: 5_000 })
    expect(published).toHaveLength(9)
    for (const { dates } of published) {
      const moments = [dates?.announcedAt, dates?.activeAt, dates?.retireAt, dates?.removeAt, dates?.forgetAt]
      const times = moments.map((moment) => Number(moment?.seconds))
      expect(times).toEqual(times.toSorted((a, b) => a - b))
    }
    const [first, second] = published
      .filter(({ algorithm }) => algorithm === 'ES256')
      .toSorted((a, b) => Number(a.dates?.activeAt?.seconds) - Number(b.dates?.activeAt?.seconds))
    expect(second?.dates?.activeAt).toEqual(first?.dates?.retireAt)
  })

  it('ends its streams cleanly when it stops', async () => {
    const stream = wiring.client('token').lease({ rings: [WireRing.SIGNING] })
    const ended = (async () => {
      let received = 0
      for await (const _message of stream) received += 1
      return received
    })()
    await leaseOf('token', ['signing'])
    await keys.service.stop()
    expect(await ended).toBeGreaterThan(0)
  })

  it('a holder signs with the next key after a switch, and verifiers find both', async () => {
    const lease = await leaseOf('token', ['signing'])
    const verifier = createVerificationKeys({
      keys: wiring.client('login'),
      now: keys.clock.now,
      logger: silentLogger,
    })
    const before = await lease.sign('ES256', 'JWT', { sub: 'alice' })
    const oldKid = lease.activeSigningKey('ES256')?.kid ?? ''
    keys.clock.advance(30 * DAY)
    // Without a message for thirty days there is no key until the next one.
    await expect.poll(() => lease.activeSigningKey('ES256')?.kid ?? oldKid).not.toBe(oldKid)
    const newKid = lease.activeSigningKey('ES256')?.kid ?? ''
    expect(await verifier.find(newKid, 'ES256')).toBeDefined()
    await expect(jwtVerify(before, await keySet(), { currentDate: keys.clock.now() })).resolves.toBeDefined()

    keys.clock.advance(100 * DAY)
    await expect.poll(async () => (await fetch(`${keys.url}/oauth/v2/keys`)).text()).not.toContain(oldKid)
    // An id_token_hint may be a hundred days old: the key is verified with, but published no more.
    expect(await verifier.find(oldKid, 'ES256')).toBeDefined()
  })
})

async function first<T>(stream: AsyncIterable<T>): Promise<T> {
  for await (const message of stream) return message
  throw new Error('the stream ended without a message')
}
