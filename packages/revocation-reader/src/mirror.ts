import type { AskInTime } from './circuits.ts'
import { JointLookUps } from './joint-look-ups.ts'
import type { LookUp } from './look-up.ts'
import type { ServerIdentity } from './server-identity.ts'

/** Asks the mirror of revocations in Redis. */
export interface Mirror {
  /**
   * Whether any of the entries has ended, by an MGET on the connection whose server is known. Undefined when that
   * server cannot vouch for its answer: it is unknown, silent, has moved on, or was not filled.
   */
  anyEnded(lookUp: LookUp): Promise<boolean | undefined>
}

export function createMirror(servers: ServerIdentity, ask: AskInTime): Mirror {
  const lookUps = new JointLookUps((connection, keys) => ask(connection, () => connection.mget(...keys)))

  return {
    async anyEnded(lookUp) {
      const { shard, fill, ofEntries } = lookUp.mirrorKeys()
      const server = servers.ownerOf(shard)
      if (server === undefined) return undefined
      const values = await lookUps.values(server.connection, shard, [fill, ...ofEntries])
      if (values?.(fill) !== server.identity) return undefined
      return ofEntries.some((key, n) => {
        const value = values(key)
        return value !== null && lookUp.isEndedBy(n, Number(value))
      })
    },
  }
}
