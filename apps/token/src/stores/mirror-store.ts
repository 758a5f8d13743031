import type { Revocation } from './revocation-store.ts'

/** The mirror of revocations in Redis. Values only rise and lives only grow, so that order does not matter. */
export interface MirrorStore {
  /** Writes revocations to their shards. Rejects when Redis did not take all of them. */
  write(revocations: readonly Revocation[]): Promise<void>
  /** Shards that the connected server has not been filled for; undefined while the server is not known. */
  shardsToFill(): Promise<readonly number[] | undefined>
  /**
   * Fills shards: what `load` answers is written, then each shard is declared whole, unless somebody else began
   * to fill it or the server lost its memory meanwhile.
   */
  fill(shards: readonly number[], load: () => Promise<readonly Revocation[]>): Promise<void>
  /** Has `write` tell the readers of the log too, from now on. */
  openLog(): Promise<void>
  /** Has readers ask for each token by itself until a log is opened again. */
  closeLog(): Promise<void>
}
