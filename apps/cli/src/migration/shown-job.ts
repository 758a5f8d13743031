/** A job as /admin/v1/jobs shows it; dates as ISO 8601 texts. */
export interface ShownJob {
  readonly id: string
  readonly kind: 'export' | 'import'
  readonly state: 'queued' | 'running' | 'succeeded' | 'partial' | 'failed' | 'timedOut' | 'cancelled'
  readonly phase: string
  readonly counts: Readonly<Record<'total' | 'done' | 'created' | 'updated' | 'skipped' | 'failed', number>>
  readonly resumable: boolean
  readonly error?: { readonly message: string }
}

export const hasEnded = ({ state }: ShownJob): boolean => state !== 'queued' && state !== 'running'

/** How far a job is, in one line. */
export function progressOf({ id, kind, state, phase, counts }: ShownJob): string {
  const { total, done, failed } = counts
  const troubles = failed === 0 ? '' : `, ${failed} failed`
  return `${kind} ${id}: ${state}, ${phase}, ${done} of ${total}${troubles}`
}
