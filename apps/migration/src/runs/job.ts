/** Everything that is known of an export or import, except what is secret. */
export interface Job {
  readonly id: string
  readonly kind: 'export' | 'import'
  readonly state: JobState
  readonly phase: string
  readonly createdBy: string
  readonly actorKind: 'human' | 'service_user'
  readonly request: Readonly<Record<string, unknown>>
  readonly attempt: number
  readonly timeoutMs: number
  readonly createdAt: Date
  readonly acceptedAt: Date | null
  readonly deadlineAt: Date | null
  readonly startedAt: Date | null
  readonly endedAt: Date | null
  readonly error: JobError | null
  readonly notes: readonly string[]
  readonly counts: JobCounts
  /** The data for continuing are still stored. */
  readonly resumable: boolean
}

export type JobState =
  | 'staging'
  | 'queued'
  | 'running'
  | 'succeeded'
  | 'partial'
  | 'failed'
  | 'timed_out'
  | 'cancelled'

export interface JobCounts {
  readonly total: number
  readonly done: number
  readonly created: number
  readonly updated: number
  readonly skipped: number
  readonly failed: number
}

/** The reason of a failed job, as the API returns it. */
export interface JobError {
  readonly code: 'INVALID_ARGUMENT' | 'FAILED_PRECONDITION' | 'INTERNAL' | 'UNAVAILABLE'
  readonly message: string
  /** Whether going on might end better. */
  readonly resumable: boolean
  readonly details: readonly (Readonly<{ id: string }> & Readonly<Record<string, unknown>>)[]
}

export const hasEnded = ({ state }: Pick<Job, 'state'>): boolean =>
  !['staging', 'queued', 'running'].includes(state)

export interface ImportRequest {
  readonly onConflict: 'skip' | 'update' | 'fail'
  readonly dryRun: boolean
  /** Accept an object whose bytes are not those that were written. */
  readonly ignoreChecksum: boolean
  /** The member that names a place in a storage; absent when the document came with the call. */
  readonly storage?: string
}

export interface ExportRequest {
  readonly orgIds: readonly string[]
  readonly excludedOrgIds: readonly string[]
  readonly withPasswords: boolean
  readonly withOtp: boolean
  readonly withSecrets?: boolean
  /** The member that names a place in a storage; absent when the document is the answer. */
  readonly storage?: string
}
