import 'vitest'

export const TEST_SIZES = ['small', 'full', 'soak'] as const
export type TestSize = (typeof TEST_SIZES)[number]

/** The values that the global set-up provides to every test file; strings, because they cross a process boundary. */
declare module 'vitest' {
  export interface ProvidedContext {
    /** Superuser of a PostgreSQL server that this run may fill with databases. */
    readonly postgresUrl: string
    /** A Redis server whose numbered databases this run may empty. */
    readonly redisUrl: string
    /** Marks everything this run makes on servers that outlive it. */
    readonly runId: string
    readonly testSize: TestSize
    /** Path of a Chromium or Chrome, empty when none was found. */
    readonly chromiumPath: string
    /** Path of PgBouncer, empty when none was found. */
    readonly pgbouncerPath: string
  }
}
