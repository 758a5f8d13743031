import { ManagementApiError, SuiteUnreachable } from '../api/errors.ts'
import type { Suite } from '../api/suite.ts'
import type { CommandContext } from '../context.ts'
import { CommandError } from '../exit-codes.ts'

/** A job as /admin/v1/jobs shows it; dates as ISO 8601 texts. */
export interface ShownJob {
  readonly id: string
  readonly kind: 'export' | 'import' | 'undo'
  readonly state: 'queued' | 'running' | 'succeeded' | 'partial' | 'failed' | 'timedOut' | 'cancelled'
  readonly phase: string
  readonly counts: Readonly<
    Record<'total' | 'done' | 'created' | 'updated' | 'skipped' | 'failed', number> & {
      /** Absent in the response of the previous version. */
      invalid?: number
      blocked?: number
      withChanges?: number
      /** Counts of an undo, which has them instead of the outcomes of an import. */
      deleted?: number
      restored?: number
      kept?: number
    }
  >
  /** Number of exported records by list; absent in the response of the previous version. */
  readonly records?: Readonly<Record<string, number>>
  /** Plan of a dry run that can be applied. */
  readonly plan?: { readonly id: string; readonly expiresAt: string }
  /** Credentials of an import. */
  readonly credentials?: {
    readonly passwordHashes: Readonly<Record<'verifiesHere' | 'tooSlow' | 'unusable', number>>
    readonly kinds: readonly {
      readonly kind: string
      readonly count: number
      readonly milliseconds: number
    }[]
    readonly clearPasswords: number
    readonly withoutPassword: number
    readonly totpSecrets: Readonly<Record<'usable' | 'unusable', number>>
    readonly passkeys?: number
  }
  readonly result?: { readonly rejects?: string; readonly sealed?: boolean }
  readonly resumable: boolean
  readonly error?: { readonly message: string; readonly details?: readonly { readonly id: string }[] }
  readonly notes?: readonly string[]
}

const STATES: Readonly<Record<string, string>> = {
  failed: 'failed',
  timedOut: 'took longer than its timeout',
  cancelled: 'was cancelled',
}

/** Two minutes: longer than a roll-out of the suite. */
const MOST_SILENT_TRIES = 60
const PAUSE_MS = 2_000

/**
 * Starts a job and returns its id as soon as it is accepted (RFC 7240 section 4.1). The call is never repeated: after a lost
 * response `signet jobs list` shows whether the job exists.
 */
export async function startJob(
  { call }: Suite,
  path: string,
  body: string | ReadableStream,
): Promise<string> {
  const headers = { prefer: 'respond-async' }
  const response = await call({ method: 'POST', path, headers, body, repeatable: false })
  const { id } = (await response.json()) as { readonly id: string }
  return id
}

/**
 * Writes the progress of a job until it has finished, then its notes, and returns it. Reconnects after a lost connection, since
 * every event holds the whole job. Throws SuiteUnreachable after two minutes without an event; the job continues.
 */
export async function followJob(
  suite: Suite,
  jobId: string,
  { note, pause }: Pick<CommandContext, 'note' | 'pause'>,
): Promise<ShownJob> {
  let noted = ''
  let silentTries = 0
  for (;;) {
    try {
      for await (const job of jobEvents(suite, jobId)) {
        silentTries = 0
        const progress = progressOf(job)
        if (progress !== noted) note(progress)
        noted = progress
        if (job.state === 'queued' || job.state === 'running') continue
        notesOf(job).forEach(note)
        return job
      }
    } catch (error) {
      if (!isTransient(error)) throw error
      if (silentTries >= MOST_SILENT_TRIES) {
        const message = `no event of ${jobId} for two minutes; the job continues: see signet jobs events ${jobId}`
        throw new SuiteUnreachable(message, { cause: error })
      }
      if (silentTries === 0) note('the connection was lost; the job continues, trying again')
    }
    silentTries += 1
    await pause(PAUSE_MS)
  }
}

/** Throws a CommandError unless a finished job succeeded completely. */
export function requireDone({ id, kind, state, counts, error, resumable, result }: ShownJob): void {
  if (state === 'succeeded') return
  if (state === 'partial' && kind === 'undo') {
    const message = `${kind} ${id}: ${counts.kept} of ${counts.total} objects are kept; see signet jobs report ${id}. signet import undo with --force also undoes those that were changed since`
    throw new CommandError('objectsFailed', message)
  }
  if (state === 'partial') {
    const { total, withChanges = 0, invalid = 0 } = counts
    if (kind === 'import' && counts.failed + invalid === 0 && withChanges > 0 && !resumable) {
      throw new CommandError(
        'objectsFailed',
        `${kind} ${id}: ${withChanges} of ${total} objects are imported with changes; see signet jobs left-out ${id}`,
      )
    }
    const failed = `${counts.failed} of ${total} objects failed${blockedCount(counts.blocked)}${invalidCount(invalid)}`
    const rejects = result?.rejects === undefined ? '' : ` and signet jobs rejects ${id}`
    const aside = resumable ? `; signet jobs resume ${id} tries the records again that were set aside` : ''
    throw new CommandError(
      'objectsFailed',
      `${kind} ${id}: ${failed}; see signet jobs report ${id}${rejects}${aside}`,
    )
  }
  const isTooLarge = error?.details?.some((detail) => detail.id === 'document_too_large')
  const place = isTooLarge ? ': signet export --out s3://…, gs://… or storage:PATH' : ''
  const reason = error === undefined ? '' : `: ${error.message}${place}`
  const rejected =
    result?.rejects === undefined ? '' : `; see signet jobs report ${id} and signet jobs rejects ${id}`
  const advice = resumable ? `; signet jobs resume ${id} continues it` : rejected
  throw new CommandError('jobNotDone', `${kind} ${id} ${STATES[state] ?? state}${reason}${advice}`)
}

/** The number of exported objects, and that of each kind. */
export function exportedCounts({ counts, records }: ShownJob, place: string): string {
  if (records === undefined) return `${counts.done} users in ${place}`
  const kinds = Object.entries(records)
  const total = kinds.reduce((sum, [, count]) => sum + count, 0)
  return `${total} objects in ${place}: ${kinds.map(([list, count]) => `${count} ${list}`).join(', ')}`
}

/** The invalid records of an import behind its other counts. */
const invalidCount = (invalid = 0): string => (invalid === 0 ? '' : `, ${invalid} invalid`)

/** The records of an import that refer to others that were not imported. */
const blockedCount = (blocked = 0): string =>
  blocked === 0 ? '' : `, ${blocked} not imported because others were not`

/** The outcomes of the records of an import, as text. */
export function importedCounts({
  counts: { created, updated, skipped, failed, blocked, invalid, withChanges },
}: Pick<ShownJob, 'counts'>): string {
  return `${created} created, ${updated} updated, ${skipped} skipped, ${failed} failed${blockedCount(blocked)}${invalidCount(invalid)}${changedCount(withChanges)}`
}

const changedCount = (withChanges = 0) =>
  withChanges === 0 ? '' : `; ${withChanges} of them with changes, without a part that breaks a rule`

const SHOWN_KINDS = 5

/** Lines with the numbers of usable password hashes and second factors; [] for a document without people. */
export function credentialLines({ credentials }: ShownJob): readonly string[] {
  if (credentials === undefined) return []
  const { passwordHashes, kinds, clearPasswords, withoutPassword, totpSecrets, passkeys = 0 } = credentials
  const { verifiesHere, tooSlow, unusable } = passwordHashes
  if (verifiesHere + tooSlow + unusable + clearPasswords + withoutPassword === 0) return []
  const more = kinds.length - SHOWN_KINDS
  return [
    `password hashes: ${verifiesHere} verify here, ${tooSlow} too slow, ${unusable} unusable; ${clearPasswords} passwords in clear text, ${withoutPassword} people without one`,
    ...kinds
      .slice(0, SHOWN_KINDS)
      .map(({ kind, count, milliseconds }) => `  ${count} ${kind}, about ${milliseconds} ms each`),
    ...(more > 0 ? [`  and ${more} more kinds`] : []),
    `second factors: ${totpSecrets.usable} usable, ${totpSecrets.unusable} unusable`,
    ...(passkeys > 0 ? [`passkeys: ${passkeys}, which work if the RP ID is the same`] : []),
  ]
}

/** Rethrows the refusal of an import, with the commands that show its invalid records. */
export function adviseRejects(error: unknown): never {
  const found =
    error instanceof ManagementApiError ? error.details.find(({ id }) => id === 'invalid_records') : undefined
  const jobId = found?.jobId
  if (!(error instanceof ManagementApiError) || typeof jobId !== 'string') throw error
  const message = `${error.message}; see signet jobs report ${jobId} and signet jobs rejects ${jobId}`
  throw new CommandError('refused', message)
}

/** The body of a response in pieces. Throws SuiteUnreachable when the connection is lost. */
export async function* piecesOf(response: Response): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response.body ?? []) yield chunk
  } catch (cause) {
    throw new SuiteUnreachable('the connection was lost', { cause })
  }
}

/** The job in each server-sent event, until the stream ends or breaks. */
async function* jobEvents({ call }: Suite, jobId: string): AsyncGenerator<ShownJob> {
  const path = `/admin/v1/jobs/${encodeURIComponent(jobId)}/events`
  const response = await call({ method: 'GET', path, repeatable: false })
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of piecesOf(response)) {
    text += decoder.decode(chunk, { stream: true })
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const data = /^event: progress\ndata: (.*)$/s.exec(event)?.[1]
      if (data !== undefined) yield JSON.parse(data) as ShownJob
    }
  }
}

/** The progress of a job in one line. */
function progressOf({ id, kind, state, phase, counts }: ShownJob): string {
  const { total, done, failed = 0 } = counts
  const failures = failed === 0 ? '' : `, ${failed} failed`
  return `${kind} ${id}: ${state}, ${phase}, ${done} of ${total}${failures}`
}

const MOST_NOTES = 100

/** The notes of a job in lines, without control characters: they may name members of a document. */
function notesOf({ id, notes = [] }: ShownJob): readonly string[] {
  const lines = notes.slice(0, MOST_NOTES).map((text) => `note: ${text.replace(/\p{Cc}/gu, '?')}`)
  const more = notes.length - MOST_NOTES
  return more <= 0 ? lines : [...lines, `${more} more notes: signet jobs show ${id}`]
}

const isTransient = (error: unknown) =>
  error instanceof SuiteUnreachable || (error instanceof ManagementApiError && error.status >= 500)
