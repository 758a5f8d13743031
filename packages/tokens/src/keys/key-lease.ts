import { createPrivateKey, createSecretKey, type KeyObject } from 'node:crypto'
import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { RpcClient } from '@signet/grpc/client'
import {
  type KeyService,
  type LeasedKey,
  type LeaseResponse,
  Ring as WireRing,
} from '@signet/grpc/gen/keys/v1/key_service_pb'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { Clock } from '@signet/platform/runtime/clock'
import { TemporarilyUnavailableError } from '@signet/protocol/errors'
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '@signet/protocol/signing-algorithms'
import { keepStreamOpen, LEASE_TIMING, type LeaseTiming } from './lease-stream.ts'
import { type SigningKey, signJws } from './sign-jws.ts'

export interface SymmetricKey {
  readonly kid: string
  readonly key: KeyObject
  readonly state: UseState
}

/**
 * The keys that this process may use, kept up to date. The local clock decides which key is active, so a switch
 * happens on time while `keys` is away; 24 hours after its last message there are no keys any more. A key that
 * `isRevoked` reports is dropped at once, whichever state the stream says, and the next one takes its place.
 */
export interface KeyLease {
  /** The key to sign with now; undefined while there is none. */
  activeSigningKey(alg: SigningAlgorithm): SigningKey | undefined
  /** A compact JWS under the active key. Rejects with TemporarilyUnavailableError while there is none. */
  sign(alg: SigningAlgorithm, typ: string, claims: object): Promise<string>
  /** The key to seal or authenticate with now; undefined while there is none. */
  activeKey(ring: SymmetricRing): SymmetricKey | undefined
  /**
   * The secret of any key of the ring, the announced one too: another replica's clock may be ahead. Throws
   * TemporarilyUnavailableError while there is no lease: without a lease a missing key is no proof that the key does
   * not exist, and a client that gets an error drops a good token.
   */
  keyOf(ring: SymmetricRing, kid: string): KeyObject | undefined
  /** Every key of the ring, newest first. Throws as `keyOf` does. */
  symmetricKeys(ring: SymmetricRing): readonly SymmetricKey[]
  /** Whether every ring has a key that may be used now. */
  ready(): boolean
  stop(): Promise<void>
}

export interface KeyLeaseOptions {
  readonly keys: Pick<RpcClient<typeof KeyService>, 'lease'>
  readonly rings: readonly Ring[]
  readonly now: Clock
  readonly logger: Logger
  /** Random number from 0 up to 1: spreads the attempts of many replicas. */
  readonly random: () => number
  /** Revocations of keys that arrive on another way than the stream, which may be cut. */
  readonly isRevoked?: (kid: string) => boolean
  readonly timing?: LeaseTiming
  readonly metrics?: Metrics | undefined
}

/** How long a holder without a connection goes on with its last lease; `keys` keeps retired keys accordingly. */
export const LEASE_MS = 24 * 3_600_000

/** Opens the lease and keeps it open. Keys arrive with the first message; until then `ready()` is false. */
export function startKeyLease(options: KeyLeaseOptions): KeyLease {
  const { keys, rings, now, logger, random, timing = LEASE_TIMING, isRevoked = () => false } = options
  let held = NO_KEYS
  let leaseEnd = 0
  const { countSignature } = createLeaseMetrics(options.metrics, () =>
    leaseEnd === 0 ? Number.POSITIVE_INFINITY : now().getTime() - (leaseEnd - LEASE_MS),
  )
  let connected = false

  const stream = keepStreamOpen<LeaseResponse>({
    open: (signal) => keys.lease({ rings: rings.map((ring) => WIRE_RINGS[ring]) }, { signal }),
    onMessage(message) {
      if (!message.heartbeat) held = heldKeys(message.keys, held)
      leaseEnd = now().getTime() + LEASE_MS
      if (!connected) logger.info('key_lease_opened', { revision: Number(message.revision) })
      connected = true
    },
    onEnd(error) {
      if (connected) logger.warn('key_lease_interrupted', { error })
      connected = false
    },
    timing,
    random,
  })

  const keysOf = (ring: SymmetricRing, at: number): readonly HeldSymmetricKey[] =>
    at < leaseEnd ? (held.symmetric.get(ring) ?? []) : []

  const requireKeysOf = (ring: SymmetricRing, at: number): readonly HeldSymmetricKey[] => {
    if (at < leaseEnd) return held.symmetric.get(ring) ?? []
    throw new TemporarilyUnavailableError('Keys cannot be used at the moment; repeat the request', {
      reason: 'no_key_lease',
    })
  }

  const lease: KeyLease = {
    activeSigningKey(alg) {
      const at = now().getTime()
      if (at >= leaseEnd) return undefined
      const line = held.signing.filter((key) => key.alg === alg)
      return keyInUse(line, at, isRevoked)
    },
    async sign(alg, typ, claims) {
      const key = lease.activeSigningKey(alg)
      if (key !== undefined) {
        countSignature(key)
        return signJws(key, typ, claims)
      }
      throw new TemporarilyUnavailableError('Nothing can be signed at the moment; repeat the request', {
        reason: 'no_active_signing_key',
      })
    },
    activeKey(ring) {
      const at = now().getTime()
      const active = keyInUse(keysOf(ring, at), at, isRevoked)
      return active && { kid: active.kid, key: active.key, state: 'active' }
    },
    keyOf(ring, kid) {
      if (isRevoked(kid)) return undefined
      return requireKeysOf(ring, now().getTime()).find((key) => key.kid === kid)?.key
    },
    symmetricKeys(ring) {
      const at = now().getTime()
      return requireKeysOf(ring, at)
        .filter(({ kid }) => !isRevoked(kid))
        .map((held) => ({ kid: held.kid, key: held.key, state: stateAt(held, at) }))
    },
    ready: () =>
      rings.every((ring) =>
        ring === 'signing'
          ? lease.activeSigningKey('RS256') !== undefined
          : lease.activeKey(ring) !== undefined,
      ),
    stop: () => stream.stop(),
  }
  return lease
}

/** When a key may be used; Unix milliseconds. */
export interface UseTimes {
  readonly activeAt: number
  readonly retireAt: number
}

export type UseState = 'announced' | 'active' | 'retired'

/** The state that a clock gives a key. */
export function stateAt({ activeAt, retireAt }: UseTimes, at: number): UseState {
  if (at < activeAt) return 'announced'
  return at < retireAt ? 'active' : 'retired'
}

/**
 * The key to use at this moment, of one line given newest first. If the one whose turn it is was revoked, the next one
 * that was not; undefined past the date of the last one.
 */
export function keyInUse<K extends UseTimes & { readonly kid: string }>(
  newestFirst: readonly K[],
  at: number,
  isRevoked: (kid: string) => boolean,
): K | undefined {
  const inTurn = newestFirst.find((key) => stateAt(key, at) === 'active')
  if (inTurn === undefined || !isRevoked(inTurn.kid)) return inTurn
  return newestFirst.findLast((key) => key.activeAt >= inTurn.activeAt && !isRevoked(key.kid))
}

interface LeaseMetrics {
  readonly countSignature: (key: Pick<SigningKey, 'kid' | 'alg'>) => void
}

/** Registers the numbers of a lease. `lagMs` answers the time since the last word from `keys`. */
export function createLeaseMetrics(metrics: Metrics | undefined, lagMs: () => number): LeaseMetrics {
  if (metrics === undefined) return { countSignature: () => undefined }
  const lag = {
    name: 'signet_key_lease_lag_seconds',
    help: 'Time since the last word from keys, of which one comes every ten seconds; +Inf before the first.',
    labels: [],
  } as const
  metrics.gauge(lag, () => [{ labels: {}, value: lagMs() / 1_000 }])
  const count = metrics.counter({
    name: 'signet_key_signatures_total',
    help: 'JWS that this process signed with each key.',
    labels: ['algorithm', 'kid'],
  })
  return { countSignature: ({ alg, kid }) => count({ algorithm: alg, kid }) }
}

/** The rings whose keys are 32 secret bytes. */
export type SymmetricRing = 'access-seal' | 'code-seal' | 'refresh-mac' | 'origin-mac'
export type Ring = 'signing' | SymmetricRing

export const WIRE_RINGS: Readonly<Record<Ring, WireRing>> = {
  signing: WireRing.SIGNING,
  'access-seal': WireRing.ACCESS_SEAL,
  'code-seal': WireRing.CODE_SEAL,
  'refresh-mac': WireRing.REFRESH_MAC,
  'origin-mac': WireRing.ORIGIN_MAC,
}

export type HeldSigningKey = SigningKey & UseTimes
export type HeldSymmetricKey = { readonly kid: string; readonly key: KeyObject } & UseTimes

/** The keys of one lease message, parsed and newest first. */
export interface HeldKeys {
  readonly signing: readonly HeldSigningKey[]
  readonly symmetric: ReadonlyMap<SymmetricRing, readonly HeldSymmetricKey[]>
}

export const NO_KEYS: HeldKeys = { signing: [], symmetric: new Map() }

/** Reads a lease message; keys known from `before` are not parsed again. */
export function heldKeys(leased: readonly LeasedKey[], before: HeldKeys): HeldKeys {
  const newestFirst = leased.toSorted((a, b) => timesOf(b).activeAt - timesOf(a).activeAt)
  const inRing = (ring: Ring) => newestFirst.filter((key) => key.ring === WIRE_RINGS[ring])
  const symmetric = SYMMETRIC_RINGS.map((ring) => [ring, inRing(ring).map(symmetricKey)] as const)
  return {
    signing: inRing('signing').flatMap((key) => signingKey(key, before) ?? []),
    symmetric: new Map(symmetric.filter(([, keys]) => keys.length > 0)),
  }
}

const SYMMETRIC_RINGS: readonly SymmetricRing[] = ['access-seal', 'code-seal', 'refresh-mac', 'origin-mac']

/** Undefined for an algorithm of a newer release, which this release never requests. */
function signingKey(leased: LeasedKey, before: HeldKeys): HeldSigningKey | undefined {
  const { kid, algorithm, secret } = leased
  const alg = SIGNING_ALGORITHMS.find((known) => known === algorithm)
  if (alg === undefined) return undefined
  const parsed = before.signing.find((known) => known.kid === kid)?.privateKey
  const privateKey = parsed ?? createPrivateKey({ key: Buffer.from(secret), format: 'der', type: 'pkcs8' })
  return { kid, alg, privateKey, ...timesOf(leased) }
}

function symmetricKey(leased: LeasedKey): HeldSymmetricKey {
  return { kid: leased.kid, key: createSecretKey(leased.secret), ...timesOf(leased) }
}

function timesOf({ kid, activeAt, retireAt }: LeasedKey): UseTimes {
  if (activeAt === undefined || retireAt === undefined) throw new TypeError(`key ${kid} has no dates`)
  return { activeAt: timestampMs(activeAt), retireAt: timestampMs(retireAt) }
}
