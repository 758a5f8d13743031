import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { rpcClient } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import {
  KeyService,
  type LeasedKeySchema,
  type LeaseResponseSchema,
  Ring as WireRing,
} from '@signet/grpc/gen/keys/v1/key_service_pb'
import { createInProcessNetwork } from '@signet/grpc/in-process'
import { rpcService } from '@signet/grpc/service'
import { silentLogger } from '@signet/platform/logger/logger'
import { createMetrics, type Metrics } from '@signet/platform/metrics/metrics'
import { createFakeClock } from '@signet/testing/fake-clock'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type KeyLease, type Ring, startKeyLease } from '../../src/keys/key-lease.ts'

const HOUR = 3_600_000
const START = new Date('2030-01-01T00:00:00Z')

type Message = MessageInitShape<typeof LeaseResponseSchema> | 'end' | 'fail'

/** The other end of the stream: sends only the messages of the test. */
class Peer {
  opened = 0
  /** Messages after which the holder asked for the next one. */
  heard = 0
  readonly #queue: Message[] = []
  readonly #said = new EventTarget()

  say(...messages: Message[]) {
    this.#queue.push(...messages)
    this.#said.dispatchEvent(new Event('said'))
  }

  readonly service = rpcService(KeyService, {
    lease: (_request, { signal }) => this.#stream(signal),
    listPublicKeys: async () => ({}),
    signArchiveManifest: async () => ({}),
    signIntrospectionResponse: async () => ({}),
    signAuthorizationResponse: async () => ({}),
  })

  async *#stream(signal: AbortSignal) {
    this.opened += 1
    while (!signal.aborted) {
      const message = this.#queue.shift()
      if (message === 'end') return
      if (message === 'fail') throw new RpcError('UNAVAILABLE', 'the server is going away')
      if (message !== undefined) {
        yield message
        this.heard += 1
      } else await once(this.#said, 'said', { signal }).catch(() => undefined)
    }
  }
}

const clock = createFakeClock(START)
let peer: Peer
let metrics: Metrics
let lease: KeyLease

const revoked = new Set<string>()

function open(rings: readonly Ring[], livenessMs = 60_000): void {
  const network = createInProcessNetwork({ onFailure: () => {} })
  network.serve('keys', [peer.service])
  lease = startKeyLease({
    keys: rpcClient(KeyService, network.transport('token', 'keys')),
    rings,
    now: clock.now,
    logger: silentLogger,
    random: () => 0.5,
    isRevoked: (kid) => revoked.has(kid),
    metrics,
    timing: { livenessMs, reopenMs: [1, 2] },
  })
}

const at = (hours: number) => timestampFromDate(new Date(START.getTime() + hours * HOUR))
const sealing = (kid: string, from: number, to: number): MessageInitShape<typeof LeasedKeySchema> => ({
  kid,
  ring: WireRing.ACCESS_SEAL,
  algorithm: 'A256GCM',
  secret: new Uint8Array(randomBytes(32)),
  activeAt: at(from),
  retireAt: at(to),
})
const pkcs8 = (alg: 'RS256' | 'ES256') =>
  (alg === 'RS256'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  ).privateKey.export({ format: 'der', type: 'pkcs8' })
const signing = (kid: string, algorithm: 'RS256' | 'ES256', from: number, to: number) => ({
  kid,
  ring: WireRing.SIGNING,
  algorithm,
  secret: new Uint8Array(pkcs8(algorithm)),
  activeAt: at(from),
  retireAt: at(to),
})
const kids = () => lease.symmetricKeys('access-seal').map(({ kid, state }) => `${kid} ${state}`)
const arrived = () => expect.poll(() => lease.ready()).toBe(true)

beforeEach(() => {
  clock.set(START)
  revoked.clear()
  metrics = createMetrics()
  peer = new Peer()
})
afterEach(() => lease.stop())

describe('startKeyLease', () => {
  it('has no key and is not ready before the first message', async () => {
    open(['access-seal', 'signing'])
    expect(lease.ready()).toBe(false)
    expect(lease.activeKey('access-seal')).toBeUndefined()
    await expect(lease.sign('RS256', 'JWT', {})).rejects.toMatchObject({ status: 503 })
  })

  it('does not say before the first message that a key is unknown', () => {
    open(['access-seal', 'signing'])
    const unavailable = expect.objectContaining({ status: 503, reason: 'no_key_lease' })
    expect(() => lease.keyOf('access-seal', 'any')).toThrow(unavailable)
    expect(() => lease.symmetricKeys('access-seal')).toThrow(unavailable)
  })

  it('returns keys newest first, with the states that the local clock gives them', async () => {
    open(['access-seal'])
    peer.say({ revision: 1n, keys: [sealing('old', -24, 0), sealing('next', 24, 48), sealing('now', 0, 24)] })
    await arrived()
    expect(kids()).toEqual(['next announced', 'now active', 'old retired'])
    expect(lease.activeKey('access-seal')?.kid).toBe('now')
    expect(lease.keyOf('access-seal', 'next')?.symmetricKeySize).toBe(32)
    expect(lease.keyOf('access-seal', 'unknown')).toBeUndefined()
    expect(lease.symmetricKeys('code-seal')).toEqual([])
  })

  it('switches to the announced key on time without further messages', async () => {
    open(['access-seal', 'signing'])
    const first = sealing('first', -12, 12)
    const second = sealing('second', 12, 36)
    peer.say({
      revision: 1n,
      keys: [first, second, signing('rsa1', 'RS256', -12, 12), signing('rsa2', 'RS256', 12, 36)],
    })
    await arrived()
    clock.advance(12 * HOUR - 1)
    expect(lease.activeKey('access-seal')?.kid).toBe('first')
    expect(lease.activeSigningKey('RS256')?.kid).toBe('rsa1')
    clock.advance(1)
    expect(lease.activeKey('access-seal')?.kid).toBe('second')
    expect(lease.activeSigningKey('RS256')?.kid).toBe('rsa2')
  })

  it('refuses to sign past the date of the last known key', async () => {
    open(['signing'])
    peer.say({ revision: 1n, keys: [signing('rsa1', 'RS256', -12, 1)] })
    await arrived()
    clock.advance(HOUR)
    expect(lease.activeSigningKey('RS256')).toBeUndefined()
    expect(lease.ready()).toBe(false)
    await expect(lease.sign('RS256', 'JWT', {})).rejects.toMatchObject({ reason: 'no_active_signing_key' })
  })

  it('has no keys any more 24 hours after the last word, heartbeats included', async () => {
    open(['access-seal'])
    peer.say({ revision: 1n, keys: [sealing('long', -24, 400)] })
    await arrived()
    clock.advance(20 * HOUR)
    peer.say({ revision: 1n, heartbeat: true })
    await expect.poll(() => peer.heard).toBe(2)
    clock.advance(24 * HOUR - 1)
    expect(lease.activeKey('access-seal')?.kid).toBe('long')
    clock.advance(1)
    expect(lease.activeKey('access-seal')).toBeUndefined()
    expect(() => lease.keyOf('access-seal', 'long')).toThrow('Keys cannot be used')
    expect(lease.ready()).toBe(false)
  })

  it('a key whose revocation arrives otherwise is removed, and the next one is used at once [F-27]', async () => {
    open(['access-seal', 'signing'])
    peer.say({
      revision: 1n,
      keys: [
        ...[sealing('now', -12, 12), sealing('next', 12, 36), sealing('reserve', 36, 60)],
        ...[signing('rsa1', 'RS256', -12, 12), signing('rsa2', 'RS256', 12, 36)],
      ],
    })
    await arrived()
    revoked.add('now').add('rsa1')
    expect(lease.activeKey('access-seal')?.kid).toBe('next')
    expect(lease.keyOf('access-seal', 'now')).toBeUndefined()
    expect(kids()).toEqual(['reserve announced', 'next announced'])
    expect(lease.activeSigningKey('RS256')?.kid).toBe('rsa2')
    revoked.add('next')
    expect(lease.activeKey('access-seal')?.kid).toBe('reserve')
    clock.advance(12 * HOUR)
    expect(lease.activeKey('access-seal')?.kid).toBe('reserve')
    expect(lease.activeSigningKey('RS256')?.kid).toBe('rsa2')
    revoked.add('rsa2')
    expect(lease.activeSigningKey('RS256')).toBeUndefined()
  })

  it('a new revision replaces all keys, and a key known before is not parsed again', async () => {
    open(['signing'])
    const rsa = signing('rsa1', 'RS256', -1, 24)
    peer.say({ revision: 1n, keys: [rsa] })
    await arrived()
    const before = lease.activeSigningKey('RS256')
    peer.say({ revision: 2n, keys: [rsa, signing('ec1', 'ES256', -1, 24)] })
    await expect.poll(() => lease.activeSigningKey('ES256')?.kid).toBe('ec1')
    expect(lease.activeSigningKey('RS256')?.privateKey).toBe(before?.privateKey)
    peer.say({ revision: 3n, keys: [signing('ec1', 'ES256', -1, 24)] })
    await expect.poll(() => lease.activeSigningKey('RS256')).toBeUndefined()
  })

  it('keeps its keys and opens a new stream when the old one ends or fails', async () => {
    open(['access-seal'])
    peer.say({ revision: 1n, keys: [sealing('k', -1, 24)] })
    await arrived()
    peer.say('end')
    await expect.poll(() => peer.opened).toBe(2)
    peer.say('fail')
    await expect.poll(() => peer.opened).toBe(3)
    expect(lease.ready()).toBe(true)
    peer.say({ revision: 2n, keys: [sealing('k2', -1, 24)] })
    await expect.poll(() => lease.activeKey('access-seal')?.kid).toBe('k2')
  })

  it('reports the time since the last message, and the signatures of each key', async () => {
    open(['signing'])
    const reported = async () => (await metrics.text()).split('\n').filter((line) => /^signet/.test(line))
    expect(await reported()).toEqual(['signet_key_lease_lag_seconds +Inf'])
    peer.say({ revision: 1n, keys: [signing('ec1', 'ES256', -1, 24), signing('rsa1', 'RS256', -1, 24)] })
    await arrived()
    await lease.sign('ES256', 'JWT', {})
    await lease.sign('ES256', 'JWT', {})
    clock.advance(30_000)
    expect(await reported()).toEqual([
      'signet_key_lease_lag_seconds 30',
      'signet_key_signatures_total{algorithm="ES256",kid="ec1"} 2',
    ])
  })

  it('gives up a silent stream', async () => {
    open(['access-seal'], 20)
    await expect.poll(() => peer.opened).toBeGreaterThan(2)
    await lease.stop()
    const { opened } = peer
    peer.say('end')
    expect(peer.opened).toBe(opened)
  })
})
