import pg from 'pg'

export interface Logins {
  /** The class of the connections of a `pg.Pool`. */
  readonly Client: new (
    config?: pg.ClientConfig,
  ) => pg.Client
  /**
   * Resolves to a connection of the pool within `ms` milliseconds, retries included. Rejects with the error of the server.
   * A refused password (SQLSTATE 28P01) is that error only when the server refuses each known password, and the pool has
   * no open connection that becomes free in that time.
   */
  connect(pool: pg.Pool, ms: number): Promise<pg.PoolClient>
}

/** A password that no other replaces is tried again after so many milliseconds; until then it is refused without the server. */
const TRY_AGAIN_MS = 1_000
const MOST_ATTEMPTS = 5

/**
 * Connects with the address that `url` has at that time. While a password is being changed the role and the file differ:
 * after a refusal (SQLSTATE 28P01) the address with which a connection last succeeded is used until it is refused too, and
 * the newest from then on. When there is no other, callers wait for the connections that are open, which outlive
 * the change. `elapsed` gives milliseconds of a clock that only moves forward.
 */
export function createLogins(url: { reveal(): string }, elapsed: () => number): Logins {
  let accepted: string | undefined
  let refusal: { readonly address: string; readonly at: number; readonly error: unknown } | undefined
  let max: number | undefined
  // The pool also counts the connections that it is making, which are about to be refused.
  let open = 0

  const choose = () => {
    const newest = url.reveal()
    return newest === refusal?.address && accepted !== undefined ? accepted : newest
  }
  const isRefused = (address: string) => address === refusal?.address && elapsed() - refusal.at < TRY_AGAIN_MS

  class Client extends pg.Client {
    readonly #address: string

    constructor(config: pg.ClientConfig = {}) {
      const address = choose()
      super({ ...config, connectionString: address })
      this.#address = address
      // The pool listens only once it has heard of the connection, and not while it hands one over. A server that stops may
      // end the session before that; an error without a listener would end the process. Statements fail by themselves.
      this.on('error', () => undefined)
    }

    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error | null) => void): void
    override connect(callback?: (error: Error | null) => void): Promise<pg.Client> | undefined {
      const connecting = this.#connect()
      if (callback === undefined) return connecting
      connecting.then(() => callback(null), callback)
      return undefined
    }

    async #connect(): Promise<pg.Client> {
      const address = this.#address
      if (isRefused(address)) throw refusal?.error
      // Callers of the same time take the old refusal or wait: one try each second, not one for each place of the pool.
      if (refusal?.address === address) refusal = { ...refusal, at: elapsed() }
      try {
        const client = await super.connect()
        accepted = address
        open += 1
        this.once('end', () => {
          open -= 1
        })
        if (refusal?.address === address) refusal = undefined
        return client
      } catch (error) {
        if (isPasswordRefused(error)) {
          refusal = { address, at: elapsed(), error }
          if (accepted === address) accepted = undefined
        }
        throw error
      }
    }
  }

  return {
    Client,
    async connect(pool, ms) {
      max ??= pool.options.max
      const end = elapsed() + ms
      for (let attempt = 1; ; attempt += 1) {
        // A full pool has callers wait instead of making a connection for them.
        const canConnect = refusal === undefined || !isRefused(choose())
        pool.options.max = canConnect ? max : Math.max(1, open)
        try {
          return await connectWithin(pool, end - elapsed())
        } catch (error) {
          const hasOther = open > 0 || !isRefused(choose())
          const isOver = attempt === MOST_ATTEMPTS || elapsed() >= end
          if (!isPasswordRefused(error) || !hasOther || isOver) throw error
        }
      }
    },
  }
}

/** Calls `pool.connect` with a time limit of its own: the pool reads the option before `connect` returns. */
function connectWithin(pool: pg.Pool, ms: number): Promise<pg.PoolClient> {
  const { connectionTimeoutMillis } = pool.options
  pool.options.connectionTimeoutMillis = ms
  const connecting = pool.connect()
  pool.options.connectionTimeoutMillis = connectionTimeoutMillis
  return connecting
}

function isPasswordRefused(error: unknown): boolean {
  return (error as { code?: unknown }).code === '28P01'
}
