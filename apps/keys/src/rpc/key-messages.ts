import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import {
  type LeasedKeySchema,
  type PublicKeySchema,
  KeyState as WireKeyState,
  Ring as WireRing,
} from '@signet/grpc/gen/keys/v1/key_service_pb'
import { publicMembers } from '../key-set/key-set.ts'
import type { RingKey } from '../rotation/key-rings.ts'
import { type KeyState, RINGS, type Ring } from '../rotation/rings.ts'

const WIRE_RINGS: Readonly<Record<Ring, WireRing>> = {
  signing: WireRing.SIGNING,
  'access-seal': WireRing.ACCESS_SEAL,
  'code-seal': WireRing.CODE_SEAL,
  'refresh-mac': WireRing.REFRESH_MAC,
  'origin-mac': WireRing.ORIGIN_MAC,
}

const WIRE_STATES: Readonly<Record<KeyState, WireKeyState>> = {
  announced: WireKeyState.ANNOUNCED,
  active: WireKeyState.ACTIVE,
  retired: WireKeyState.RETIRED,
  removed: WireKeyState.REMOVED,
  'verify-only': WireKeyState.VERIFY_ONLY,
}

/** The ring that a request names; undefined for a number that is none. */
export function ringOf(wire: WireRing): Ring | undefined {
  return RINGS.find((ring) => WIRE_RINGS[ring] === wire)
}

/** A key for its holder; undefined once its secret was destroyed. */
export function leasedKeyMessage(key: RingKey): MessageInitShape<typeof LeasedKeySchema> | undefined {
  return (
    key.secret && {
      kid: key.kid,
      ring: WIRE_RINGS[key.ring],
      algorithm: key.algorithm,
      state: WIRE_STATES[key.state],
      secret: new Uint8Array(key.secret),
      activeAt: timestampFromDate(key.activeAt),
      retireAt: timestampFromDate(key.retireAt),
    }
  )
}

/** A public half for a verifier; undefined for symmetric keys and for those that must not verify any more. */
export function publicKeyMessage(key: RingKey): MessageInitShape<typeof PublicKeySchema> | undefined {
  if (key.publicJwk === undefined || key.state === 'removed') return undefined
  return {
    kid: key.kid,
    algorithm: key.algorithm,
    state: WIRE_STATES[key.state],
    jwk: JSON.stringify(publicMembers(key.publicJwk)),
    dates: {
      announcedAt: timestampFromDate(key.announcedAt),
      activeAt: timestampFromDate(key.activeAt),
      retireAt: timestampFromDate(key.retireAt),
      removeAt: timestampFromDate(key.removeAt),
      forgetAt: timestampFromDate(key.forgetAt),
    },
  }
}
