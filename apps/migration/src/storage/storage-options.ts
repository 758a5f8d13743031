import type { BlockList } from 'node:net'

export interface ObjectStorageOptions {
  /** Networks beside the public Internet where a storage may be. */
  readonly allow: BlockList
  /** A connection without traffic for this time, at most twice as long, is closed and opened again. */
  readonly idleMs: number
  /** Before the first repetition; doubles with each further one in a row. */
  readonly retryDelayMs: number
  /** Where Google's API is served, when not by Google. */
  readonly gcs?: GcsEndpoints | undefined
  /** The folder of `file` locations; without it there are none. */
  readonly folder?: string | undefined
}

export interface GcsEndpoints {
  readonly apiUrl: string
  readonly tokenUrl: string
}
