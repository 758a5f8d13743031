import { JointLookUps } from './joint-look-ups.ts'
import { endsMark, type LookUp } from './mirror-keys.ts'
import type { ServerIdentity } from './server-identity.ts'
import { type CircuitEvents, SilenceCircuit } from './silence-circuit.ts'

/** Asks the mirror of revocations in Redis. */
export interface Mirror {
  /**
   * Whether any of the marks has ended, by an MGET on the connection whose server is known. Undefined when that
   * server cannot vouch for its answer: it is unknown, silent, has moved on, or was not filled.
   */
  anyEnded(lookUp: LookUp): Promise<boolean | undefined>
}

export function createMirror(servers: ServerIdentity, events: CircuitEvents): Mirror {
  // One per server: a cluster answers for the rest while one of its primaries is silent.
  const circuits = new WeakMap<object, SilenceCircuit>()

  function circuitOf(connection: object): SilenceCircuit {
    const existing = circuits.get(connection)
    if (existing !== undefined) return existing
    const created = new SilenceCircuit(events)
    circuits.set(connection, created)
    return created
  }

  const lookUps = new JointLookUps((connection, keys) =>
    circuitOf(connection).answerOf(() =>
      connection.mget(...keys).catch((error: unknown) => {
        if (isRedirection(error)) servers.layoutChanged()
        throw error
      }),
    ),
  )

  return {
    async anyEnded({ shard, marks, fill, keys }) {
      const server = servers.ownerOf(shard)
      if (server === undefined) return undefined
      const values = await lookUps.values(server.connection, shard, keys)
      if (values?.(fill) !== server.identity) return undefined
      return marks.some((mark) => {
        const value = values(mark.key)
        return value !== null && endsMark(mark, Number(value))
      })
    },
  }
}

/** A node of a cluster that is not, or not alone, responsible for the slot. */
function isRedirection(error: unknown): boolean {
  return error instanceof Error && /^(MOVED|ASK|TRYAGAIN|CLUSTERDOWN) ?/.test(error.message)
}
