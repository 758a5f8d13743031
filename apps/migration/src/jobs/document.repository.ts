import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Database } from '@signet/platform/postgres/pool'
import type { StagedSealer } from '../sealing.ts'
import type { DocumentTarget } from '../storage/stored-object.ts'

/** The place that a piece of a document is sealed for. */
export const chunkPlace = (jobId: string, attempt: number, position: number) =>
  `document_chunk ${jobId} ${attempt} ${position}`

/** Exported documents that are answered in the body of a call. */
export class DocumentRepository {
  readonly #database: Database
  readonly #sealer: StagedSealer

  constructor(database: Database, sealer: StagedSealer) {
    this.#database = database
    this.#sealer = sealer
  }

  /** Opens the target of an attempt; beginning one deletes what earlier attempts wrote. */
  async open(jobId: string, attempt: number): Promise<DocumentTarget> {
    await this.#database.query({
      name: 'document_chunk.remove_older', // primary key
      text: 'DELETE FROM migration.document_chunk WHERE job_id = $1 AND attempt < $2',
      values: [jobId, attempt],
    })
    let position = 0
    return {
      write: async (chunk) => {
        const sealed = this.#sealer.seal(zstdCompressSync(chunk), chunkPlace(jobId, attempt, position))
        await this.#database.query({
          name: 'document_chunk.add',
          text: 'INSERT INTO migration.document_chunk (job_id, attempt, position, sealed) VALUES ($1, $2, $3, $4)',
          values: [jobId, attempt, position, sealed],
        })
        position += 1
      },
      commit: async () => [],
      abort: () => this.#remove(jobId, attempt),
    }
  }

  /** A later attempt may write beside this one. */
  async #remove(jobId: string, attempt: number): Promise<void> {
    await this.#database.query({
      name: 'document_chunk.remove', // primary key
      text: 'DELETE FROM migration.document_chunk WHERE job_id = $1 AND attempt = $2',
      values: [jobId, attempt],
    })
  }

  /** Whether the document of an ended job can be read still. */
  async has(jobId: string): Promise<boolean> {
    const { rows } = await this.#database.query<{ found: boolean }>({
      name: 'document_chunk.any', // primary key
      text: 'SELECT EXISTS (SELECT FROM migration.document_chunk WHERE job_id = $1) AS found',
      values: [jobId],
    })
    return rows[0]?.found ?? false
  }

  /** The document of the last attempt, chunk by chunk. */
  async *read(jobId: string): AsyncIterable<Buffer> {
    for (let position = 0; ; position += 1) {
      const { rows } = await this.#database.query<{ attempt: number; sealed: Buffer }>({
        name: 'document_chunk.read', // primary key
        text: `SELECT c.attempt, c.sealed FROM migration.document_chunk c JOIN migration.job j USING (job_id, attempt)
                WHERE c.job_id = $1 AND c.position = $2`,
        values: [jobId, position],
      })
      const [row] = rows
      if (row === undefined) return
      yield zstdDecompressSync(this.#sealer.open(row.sealed, chunkPlace(jobId, row.attempt, position)))
    }
  }
}
