import type { Queryable } from '@signet/platform/postgres/pool'

/** The storage locations of jobs, and their uploads in progress; both hold secrets. */
export class UploadRepository {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /** The storage location of the job, sealed; undefined when it has none, or can no longer be resumed. */
  async sealedLocation(jobId: string): Promise<Buffer | undefined> {
    const { rows } = await this.#database.query<{ sealed_credentials: Buffer | null }>({
      name: 'job.sealed_order', // primary key
      text: 'SELECT sealed_credentials FROM migration.job WHERE job_id = $1',
      values: [jobId],
    })
    return rows[0]?.sealed_credentials ?? undefined
  }

  /** The handle of an upload in progress, sealed. */
  async sealedUpload(jobId: string): Promise<Buffer | undefined> {
    const { rows } = await this.#database.query<{ sealed_upload: Buffer | null }>({
      name: 'job.sealed_upload', // primary key
      text: 'SELECT sealed_upload FROM migration.job WHERE job_id = $1',
      values: [jobId],
    })
    return rows[0]?.sealed_upload ?? undefined
  }

  async setUpload(jobId: string, sealed: Buffer | undefined): Promise<void> {
    await this.#database.query({
      name: 'job.keep_upload', // primary key
      text: 'UPDATE migration.job SET sealed_upload = $2 WHERE job_id = $1',
      values: [jobId, sealed ?? null],
    })
  }

  /** How long the object is that an attempt was about to complete; undefined when none came so far. */
  async completingBytes(jobId: string): Promise<number | undefined> {
    const { rows } = await this.#database.query<{ completing_bytes: number | null }>({
      name: 'job.completing_bytes', // primary key
      text: 'SELECT completing_bytes::float8 AS completing_bytes FROM migration.job WHERE job_id = $1',
      values: [jobId],
    })
    return rows[0]?.completing_bytes ?? undefined
  }

  async setCompletingBytes(jobId: string, sizeBytes: number): Promise<void> {
    await this.#database.query({
      name: 'job.keep_completing', // primary key
      text: 'UPDATE migration.job SET completing_bytes = $2 WHERE job_id = $1',
      values: [jobId, sizeBytes],
    })
  }
}
