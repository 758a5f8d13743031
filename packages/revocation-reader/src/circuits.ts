import type { Redis } from '@signet/redis/client'
import type { ServerIdentity } from './server-identity.ts'
import { type CircuitEvents, SILENCE_MS, SilenceCircuit } from './silence-circuit.ts'

/** Asks one server; undefined when it does not answer in time, fails or is no longer the one to be asked. */
export type AskInTime = <T>(connection: Redis, ask: () => Promise<T>) => Promise<T | undefined>

/** One circuit for each server: a cluster answers for the rest while one of its primaries is silent. */
export function askInTime(servers: ServerIdentity, events: CircuitEvents, silenceMs = SILENCE_MS): AskInTime {
  const circuits = new WeakMap<object, SilenceCircuit>()

  function circuitOf(connection: object): SilenceCircuit {
    const existing = circuits.get(connection)
    if (existing !== undefined) return existing
    const created = new SilenceCircuit(events, silenceMs)
    circuits.set(connection, created)
    return created
  }

  return (connection, ask) =>
    circuitOf(connection).answerOf(() =>
      ask().catch((error: unknown) => {
        if (isRedirection(error)) servers.layoutChanged()
        throw error
      }),
    )
}

/** A node of a cluster that is not, or not alone, responsible for the slot. */
function isRedirection(error: unknown): boolean {
  return error instanceof Error && /^(MOVED|ASK|TRYAGAIN|CLUSTERDOWN) ?/.test(error.message)
}
