import { RpcError } from '@signet/grpc/error'
import { KeyService, type Ring as WireRing } from '@signet/grpc/gen/keys/v1/key_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'
import type { ServiceName } from '@signet/platform/process/service'
import type { KeyRings } from '../rotation/key-rings.ts'
import { RINGS, type Ring } from '../rotation/rings.ts'
import { leasedKeyMessage, publicKeyMessage, ringOf } from './key-messages.ts'

interface KeyServiceOptions {
  readonly rings: Pick<KeyRings, 'current' | 'watch'>
  /** Aborted when the process stops: every stream then ends cleanly. */
  readonly stopping: AbortSignal
  readonly heartbeatMs: number
}

/** Which rings each caller may hold; a stolen introspection lease can open tokens and mint nothing. */
const MAY_LEASE: Readonly<Partial<Record<ServiceName, readonly Ring[]>>> = {
  token: RINGS,
  introspection: ['access-seal'],
}

export function keyService({ rings, stopping, heartbeatMs }: KeyServiceOptions): RpcService {
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
  })
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
