import type { ShownJob } from './shown-job.ts'

/** A job ended without having done everything. */
export class JobNotDone extends Error {
  override readonly name = 'JobNotDone'
  /** Whether it went through to its end, leaving out what could not be done. */
  readonly partial: boolean

  constructor(message: string, { partial }: { readonly partial: boolean }) {
    super(message)
    this.partial = partial
  }
}

/** Throws JobNotDone unless an ended job did everything. */
export function requireDone({ id, kind, state, counts, error, resumable }: ShownJob): void {
  if (state === 'succeeded') return
  if (state === 'partial') {
    const message = `${kind} ${id}: ${counts.failed} of ${counts.total} objects failed; see signet jobs report ${id}`
    throw new JobNotDone(message, { partial: true })
  }
  const reason = error === undefined ? '' : `: ${error.message}`
  const advice = resumable ? `; signet jobs resume ${id} goes on with it` : ''
  throw new JobNotDone(`${kind} ${id} ${STATES[state] ?? state}${reason}${advice}`, { partial: false })
}

const STATES: Readonly<Record<string, string>> = {
  failed: 'failed',
  timedOut: 'took longer than its timeout',
  cancelled: 'was cancelled',
}
