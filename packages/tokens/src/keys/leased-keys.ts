import { createPrivateKey } from 'node:crypto'
import { timestampMs } from '@bufbuild/protobuf/wkt'
import { type LeasedKey, Ring as WireRing } from '@signet/grpc/gen/keys/v1/key_service_pb'
import { SIGNING_ALGORITHMS } from '@signet/protocol/signing-algorithms'
import type { UseTimes } from './key-in-use.ts'
import type { SigningKey } from './sign-jws.ts'

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
export type HeldSymmetricKey = { readonly kid: string; readonly key: Buffer } & UseTimes

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
  return { kid: leased.kid, key: Buffer.from(leased.secret), ...timesOf(leased) }
}

function timesOf({ kid, activeAt, retireAt }: LeasedKey): UseTimes {
  if (activeAt === undefined || retireAt === undefined) throw new TypeError(`key ${kid} has no dates`)
  return { activeAt: timestampMs(activeAt), retireAt: timestampMs(retireAt) }
}
