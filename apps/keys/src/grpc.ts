// `KeyService` of proto/keys/v1: leases of secret keys to the services, the list of public keys, signed manifests, introspection
// responses and authorization responses.

import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { RINGS } from '@signet/admin-api/keys-api'
import { RpcError } from '@signet/grpc/error'
import {
  KeyService,
  type LeasedKeySchema,
  type PublicKeySchema,
  type SignArchiveManifestRequest,
  KeyState as WireKeyState,
  Ring as WireRing,
} from '@signet/grpc/gen/keys/v1/key_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'
import type { ServiceName } from '@signet/platform/process/service'
import type { Clock } from '@signet/platform/runtime/clock'
import { SIGNING_ALGORITHMS } from '@signet/protocol/signing-algorithms'
import { type ArchiveDescription, MANIFEST_TYP, manifestClaims } from '@signet/tokens/archive-manifest'
import { INTROSPECTION_TYP, introspectionJwtClaims } from '@signet/tokens/introspection-jwt'
import { signJws } from '@signet/tokens/keys/sign-jws'
import { activeSigningKey, manifestKey } from './active-signing-key.ts'
import { publicMembers } from './key-set.ts'
import type { KeyState } from './rotation/key-life.ts'
import type { KeyRings, RingKey } from './rotation/key-rings.ts'
import type { Ring } from './rotation/policy.ts'

interface KeyServiceOptions {
  readonly issuer: string
  readonly now: Clock
  readonly rings: Pick<KeyRings, 'current' | 'watch'>
  /** Aborted when the process stops: every stream then ends cleanly. */
  readonly stopping: AbortSignal
  readonly heartbeatMs: number
}

/** Rings that each caller may hold; a stolen introspection lease can open tokens and mint nothing. */
const MAY_LEASE: Readonly<Partial<Record<ServiceName, readonly Ring[]>>> = {
  token: RINGS,
  introspection: ['access-seal'],
}

/** RFC 6749 sections 4.1.2 and 4.2.2, OIDC Core section 3.2.2.5: no claim of a token is among them. */
const RESPONSE_PARAMETERS: ReadonlySet<string> = new Set([
  ...['code', 'access_token', 'token_type', 'expires_in', 'scope', 'id_token', 'state'],
  ...['error', 'error_description'],
])
/** JARM section 2.1 recommends at most ten minutes. */
const RESPONSE_SECONDS = 300

export function keyService({ issuer, now, rings, stopping, heartbeatMs }: KeyServiceOptions): RpcService {
  function signingKey(algorithm: string, at: Date) {
    const alg = SIGNING_ALGORITHMS.find((known) => known === algorithm)
    if (alg === undefined) throw new RpcError('INVALID_ARGUMENT', 'algorithm is not one of those that sign')
    const key = activeSigningKey(rings.current.keys, alg, at)
    if (key === undefined) throw new RpcError('UNAVAILABLE', `there is no active key of ${alg}`)
    return key
  }
  return rpcService(KeyService, {
    async *lease(request, { caller, signal }) {
      const wanted = leasableRings(request.rings, caller)
      const ended = AbortSignal.any([signal, stopping])
      let sent: number | undefined
      while (!ended.aborted) {
        const { revision, keys } = rings.current
        const changed = revision !== sent
        sent = revision
        yield {
          revision: BigInt(revision),
          heartbeat: !changed,
          keys: changed
            ? keys.filter(({ ring }) => wanted.has(ring)).flatMap((key) => leasedKeyMessage(key) ?? [])
            : [],
        }
        if (rings.current.revision === sent) await changeOrHeartbeat(rings, heartbeatMs, ended)
      }
    },
    async listPublicKeys() {
      const { revision, keys } = rings.current
      return { revision: BigInt(revision), keys: keys.flatMap((key) => publicKeyMessage(key) ?? []) }
    },
    async signArchiveManifest(request) {
      const key = manifestKey(rings.current.keys, now())
      if (key === undefined) throw new RpcError('UNAVAILABLE', 'there is no active signing key')
      return { jws: await signJws(key, MANIFEST_TYP, manifestClaims(issuer, describedArchive(request))) }
    },
    async signIntrospectionResponse({ audience, response: text, algorithm }) {
      const response = readResponse(text)
      if (audience === '' || response === undefined) {
        throw new RpcError('INVALID_ARGUMENT', 'audience and response are required')
      }
      const at = now()
      const key = signingKey(algorithm, at)
      const issuedAt = Math.floor(at.getTime() / 1000)
      const claims = introspectionJwtClaims(issuer, { audience, response, issuedAt })
      return { jwt: await signJws(key, INTROSPECTION_TYP, claims) }
    },
    async signAuthorizationResponse({ audience, parameters, algorithm }) {
      const names = new Set(parameters.map(({ name }) => name))
      const areParameters = parameters.every(({ name }) => RESPONSE_PARAMETERS.has(name))
      if (audience === '' || !areParameters || names.size !== parameters.length || names.size === 0) {
        throw new RpcError(
          'INVALID_ARGUMENT',
          'audience and parameters of an authorization response are required',
        )
      }
      const at = now()
      const claims = {
        ...{ iss: issuer, aud: audience, exp: Math.floor(at.getTime() / 1000) + RESPONSE_SECONDS },
        ...Object.fromEntries(parameters.map(({ name, value }) => [name, value])),
      }
      return { jwt: await signJws(signingKey(algorithm, at), 'JWT', claims) }
    },
  })
}

function readResponse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isResponse = typeof value === 'object' && value !== null && 'active' in value
    return isResponse && typeof value.active === 'boolean' ? value : undefined
  } catch {
    return undefined
  }
}

const MOST_SECTIONS = 100
const SHA256_BYTES = 32

/** Only texts of a form that holds no claims of the caller's choice. */
function describedArchive({ createdAt, sha256, sections }: SignArchiveManifestRequest): ArchiveDescription {
  const names = new Set(sections.map(({ name }) => name))
  const isWellFormed =
    createdAt !== undefined &&
    sha256.length === SHA256_BYTES &&
    sections.length <= MOST_SECTIONS &&
    names.size === sections.length &&
    sections.every(
      (section) => /^[A-Za-z]{1,60}$/.test(section.name) && section.sha256.length === SHA256_BYTES,
    )
  if (!isWellFormed) throw new RpcError('INVALID_ARGUMENT', 'the archive is not described as it must be')
  return {
    createdAt: timestampDate(createdAt).toISOString(),
    sha256: Buffer.from(sha256).toString('hex'),
    sections: Object.fromEntries(
      sections.map(({ name, count, sha256: sectionSha256 }) => [
        name,
        { count: Number(count), sha256: Buffer.from(sectionSha256).toString('hex') },
      ]),
    ),
  }
}

function leasableRings(requested: readonly WireRing[], caller: ServiceName): ReadonlySet<Ring> {
  if (requested.length === 0) throw new RpcError('INVALID_ARGUMENT', 'rings: name at least one')
  return new Set(
    requested.map((wire) => {
      const ring = ringOf(wire)
      if (ring === undefined) throw new RpcError('INVALID_ARGUMENT', `rings: ${wire} is not a ring`)
      if (!MAY_LEASE[caller]?.includes(ring)) {
        throw new RpcError('PERMISSION_DENIED', `${caller} may not hold keys of ${ring}`)
      }
      return ring
    }),
  )
}

function changeOrHeartbeat(
  rings: KeyServiceOptions['rings'],
  heartbeatMs: number,
  ended: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(heartbeat)
      unwatch()
      ended.removeEventListener('abort', done)
      resolve()
    }
    const heartbeat = setTimeout(done, heartbeatMs)
    const unwatch = rings.watch(done)
    ended.addEventListener('abort', done, { once: true })
    if (ended.aborted) done()
  })
}

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
function ringOf(wire: WireRing): Ring | undefined {
  return RINGS.find((ring) => WIRE_RINGS[ring] === wire)
}

/** A key for its holder; undefined once its secret was destroyed. */
function leasedKeyMessage(key: RingKey): MessageInitShape<typeof LeasedKeySchema> | undefined {
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
function publicKeyMessage(key: RingKey): MessageInitShape<typeof PublicKeySchema> | undefined {
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
