import pg from 'pg'

export interface Logins {
  /** The class of the connections of a `pg.Pool`. */
  readonly Client: new (
    config?: pg.ClientConfig,
  ) => pg.Client
  /**
   * A connection of the pool, new or used. Rejects with what the server says, with SQLSTATE 28P01 only when it refuses
   * every known password and the pool has no connection to wait for.
   */
  connect(pool: pg.Pool): Promise<pg.PoolClient>
}

/** A password that no other replaces is tried again after so many milliseconds. */
const TRY_AGAIN_MS = 1_000
const MOST_ATTEMPTS = 5

/**
 * Connects with the address that `url` has at that time. While a password is being changed the role and the file differ:
 * after a refusal (SQLSTATE 28P01) the address with which a connection last succeeded is used, and the newest again as
 * soon as that one is refused. When there is no other, callers wait for the connections that are open, which outlive
 * the change. `elapsed` gives milliseconds of a clock that only moves forward.
 */
export function createLogins(url: { reveal(): string }, elapsed: () => number): Logins {
  let accepted: string | undefined
  let refused: string | undefined
  let refusedAt = 0
  let max: number | undefined

  const choose = () => {
    const newest = url.reveal()
    return newest === refused && accepted !== undefined ? accepted : newest
  }
  const isWorthTrying = () => choose() !== refused || elapsed() - refusedAt >= TRY_AGAIN_MS

  class Client extends pg.Client {
    readonly #address: string

    constructor(config: pg.ClientConfig = {}) {
      const address = choose()
      super({ ...config, connectionString: address })
      this.#address = address
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
      try {
        const client = await super.connect()
        accepted = this.#address
        if (refused === accepted) refused = undefined
        return client
      } catch (error) {
        if (isPasswordRefused(error)) {
          refused = this.#address
          refusedAt = elapsed()
        }
        throw error
      }
    }
  }

  return {
    Client,
    async connect(pool) {
      max ??= pool.options.max
      for (let attempt = 1; ; attempt += 1) {
        // A full pool has callers wait instead of making a connection for them. The file is read only when one would be made.
        if (refused === undefined) pool.options.max = max
        else if (pool.idleCount === 0) pool.options.max = isWorthTrying() ? max : Math.max(1, pool.totalCount)
        try {
          return await pool.connect()
        } catch (error) {
          const hasOther = isWorthTrying() || pool.totalCount > 0
          if (!isPasswordRefused(error) || !hasOther || attempt === MOST_ATTEMPTS) throw error
        }
      }
    },
  }
}

function isPasswordRefused(error: unknown): boolean {
  return (error as { code?: unknown }).code === '28P01'
}
