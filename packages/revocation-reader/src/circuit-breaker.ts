import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Redis } from '@signet/platform/redis/connection'

/** Sends a command to one server; undefined when it fails or takes longer than SILENCE_MS. */
export type Ask = <T>(connection: Redis, command: () => Promise<T>) => Promise<T | undefined>

export interface CircuitEvents {
  /** Called once when a server falls silent, and once when it begins to fail. */
  readonly onProblem: (error: unknown) => void
  /** Called once when it replies again. */
  readonly onRecovery: () => void
  /** Called when a node of a cluster replies that it does not serve the slot, or not alone. */
  readonly onRedirection: (connection: Redis) => void
}

/** A server that leaves a command without a reply for this long gets no further commands. */
export const SILENCE_MS = 100
/** How long after that one command is sent to find out whether it replies again. */
const PROBE_AFTER_MS = 250

/** Keeps checks from waiting for a silent server: one circuit for each connection. */
export function createCircuitBreaker(events: CircuitEvents, silenceMs = SILENCE_MS): Ask {
  const circuits = new WeakMap<object, Circuit>()
  return (connection, command) => {
    const circuit = circuits.get(connection) ?? new Circuit(events, silenceMs)
    circuits.set(connection, circuit)
    return circuit.send(() =>
      command().catch((error: unknown) => {
        if (isRedirection(error)) events.onRedirection(connection)
        throw error
      }),
    )
  }
}

function isRedirection(error: unknown): boolean {
  return error instanceof Error && /^(MOVED|ASK|TRYAGAIN|CLUSTERDOWN) ?/.test(error.message)
}

class Circuit {
  readonly #events: CircuitEvents
  readonly #silenceMs: number
  #state: 'replying' | 'failing' | 'silent' = 'replying'
  #probeDue = false

  constructor(events: CircuitEvents, silenceMs: number) {
    this.#events = events
    this.#silenceMs = silenceMs
  }

  async send<T>(command: () => Promise<T>): Promise<T | undefined> {
    if (this.#state !== 'silent') return this.#sendInTime(command)
    if (this.#probeDue) {
      this.#probeDue = false
      void this.#sendInTime(command)
    }
    return undefined
  }

  #sendInTime<T>(command: () => Promise<T>): Promise<T | undefined> {
    return new Promise((resolve) => {
      let settled = false
      const settle = (state: 'replying' | 'failing' | 'silent', error?: unknown, reply?: T) => {
        if (settled) return
        settled = true
        clearTimeout(timer)
        this.#become(state, error)
        resolve(reply)
      }
      const giveUp = () =>
        settle('silent', new Error(`Redis was silent for ${this.#silenceMs} ms; PostgreSQL is asked instead`))
      // An event loop that was busy for so long reads the reply in its next turn, after its timers.
      const timer = setTimeout(() => setImmediate(giveUp), this.#silenceMs)
      command().then(
        (reply) => settle('replying', undefined, reply),
        (error: unknown) => settle('failing', error),
      )
    })
  }

  #become(state: 'replying' | 'failing' | 'silent', error: unknown): void {
    const before = this.#state
    this.#state = state
    // A failed probe waits its time as well.
    if (state === 'silent') {
      setTimeout(() => {
        this.#probeDue = true
      }, PROBE_AFTER_MS).unref()
    }
    if (state === before) return
    if (state === 'replying') this.#events.onRecovery()
    else this.#events.onProblem(error)
  }
}

/**
 * Runs `run` one at a time. A call joins a run that has not begun, never a running one: the result is at least as new
 * as each call that it serves. All calls of one turn of the event loop share a run.
 */
export function createSerialRun<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> | undefined
  let next: Promise<T> | undefined

  async function begin(): Promise<T> {
    await running?.catch(() => undefined)
    await nextTurn()
    next = undefined
    const result = run()
    running = result
    return result
  }

  return () => {
    next ??= begin()
    return next
  }
}
