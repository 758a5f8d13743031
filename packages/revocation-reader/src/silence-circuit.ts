/** A server that leaves a check unanswered for this long is not asked any more. */
export const SILENCE_MS = 100
/** How long after that one check is sent to find out whether it answers again. */
const PROBE_AFTER_MS = 250

export interface CircuitEvents {
  /** Once when the server falls silent, and once when it begins to answer with errors. */
  readonly onProblem: (error: unknown) => void
  /** Once when it answers again. */
  readonly onRecovery: () => void
}

/** Keeps checks from waiting for a server that does not answer. */
export class SilenceCircuit {
  readonly #events: CircuitEvents
  readonly #silenceMs: number
  #silent = false
  #failing = false
  #probeDue = false

  constructor(events: CircuitEvents, silenceMs: number) {
    this.#events = events
    this.#silenceMs = silenceMs
  }

  /**
   * What `ask` answers; undefined when that takes longer than `silenceMs` or fails, and at once while the server
   * is known to be silent.
   */
  async answerOf<T>(ask: () => Promise<T>): Promise<T | undefined> {
    if (!this.#silent) return this.#answerInTime(ask)
    if (this.#probeDue) {
      this.#probeDue = false
      void this.#answerInTime(ask)
    }
    return undefined
  }

  #answerInTime<T>(ask: () => Promise<T>): Promise<T | undefined> {
    return new Promise((resolve) => {
      let settled = false
      const settle = (answer?: T) => {
        settled = true
        clearTimeout(timer)
        resolve(answer)
      }
      const giveUp = () => {
        if (settled) return
        this.#fellSilent()
        settle()
      }
      // An event loop that was busy for so long finds the answer in its next turn, after its timers.
      const timer = setTimeout(() => setImmediate(giveUp), this.#silenceMs)
      ask().then(
        (answer) => {
          if (!settled) this.#answered()
          settle(answer)
        },
        (error: unknown) => {
          if (!settled) this.#failed(error)
          settle()
        },
      )
    })
  }

  #fellSilent() {
    // Whether this was a check or a probe, the next probe waits its time.
    setTimeout(() => {
      this.#probeDue = true
    }, PROBE_AFTER_MS).unref()
    if (this.#silent) return
    this.#silent = true
    this.#events.onProblem(new Error(`Redis was silent for ${this.#silenceMs} ms; PostgreSQL answers`))
  }

  #answered() {
    if (!this.#silent && !this.#failing) return
    this.#silent = false
    this.#failing = false
    this.#events.onRecovery()
  }

  #failed(error: unknown) {
    // It is not silent, but not well either: every check goes on asking it.
    this.#silent = false
    if (this.#failing) return
    this.#failing = true
    this.#events.onProblem(error)
  }
}
