import type { ExportRequest, Job, JobError, JobRepository } from '../jobs/job.ts'
import { isPassing, withClaim } from '../jobs/run-job.ts'
import { createPackedTarget, type Packing } from '../storage/packed-document.ts'
import type { DocumentTarget } from '../storage/stored-object.ts'
import { createDocumentWriter, type SignManifest } from './document-writer.ts'

export type ExportJob = Omit<Job, 'request'> & { readonly request: ExportRequest }

type ExportPiece =
  | {
      readonly plan: {
        readonly users: number
        readonly unknownOrganizationIds: readonly string[]
        readonly instanceAdministrators: readonly string[]
        readonly notes: readonly string[]
      }
    }
  | { readonly organization: Uint8Array }
  | { readonly list: string; readonly count: number; readonly records: Uint8Array }

/** The organizations out of one snapshot. */
export type ExportDirectory = (job: ExportJob, signal: AbortSignal) => AsyncIterable<ExportPiece>

interface Dependencies {
  readonly jobs: JobRepository
  readonly directory: ExportDirectory
  /**
   * Returns the location for the document of this attempt, and how long it may stay there; `complete` when an earlier
   * attempt wrote it.
   */
  readonly target: (
    job: Job,
    attempt: number,
  ) => Promise<{ readonly target: DocumentTarget | 'complete'; readonly mostBytes: number }>
  readonly sign: SignManifest
  readonly workerId: string
  readonly pause: (milliseconds: number) => Promise<void>
  /** The worker is to stop: other workers take over its jobs. */
  readonly stopping: () => boolean
  readonly issuer: string
  readonly now: () => Date
}

const PROGRESS_MS = 300
const SIGN_PAUSE_MS = 500

/**
 * Writes an export from one snapshot. After a lost stream or a lost worker it starts again with a new
 * snapshot and a new target; the output of an earlier attempt is not part of the response.
 */
export function createRunExport(dependencies: Dependencies) {
  const { jobs, workerId, pause, stopping } = dependencies
  return async (job: Job): Promise<void> => {
    if (job.state === 'queued') await jobs.start(job.id, 'exporting')
    const claim = { jobId: job.id, workerId, phase: 'exporting' }
    await withClaim(jobs, claim, { pause, stopping }, (attempt) => write(dependencies, job, attempt))
  }
}

async function write(dependencies: Dependencies, job: Job, attempt: number): Promise<void> {
  const { target: open, jobs, issuer, now, directory } = dependencies
  const { target: bare, mostBytes } = await open(job, attempt)
  if (bare === 'complete') return await jobs.finish(job.id, { state: 'succeeded', notes: job.notes })
  const target = createPackedTarget(bare, job.request as Packing)
  const left = new AbortController()
  const writer = createDocumentWriter(target, {
    issuer,
    createdAt: now(),
    sign: (archive) => signPatiently(dependencies, archive, () => jobs.mayContinue(job.id, attempt)),
  })
  const notes: string[] = []
  const progress = { total: 0, done: 0 }
  let reportedAt = 0
  try {
    await writer.begin()
    for await (const piece of directory(job as unknown as ExportJob, left.signal)) {
      if ('plan' in piece) {
        const { unknownOrganizationIds } = piece.plan
        if (unknownOrganizationIds.length > 0) {
          await target.abort()
          return await jobs.fail(job.id, unknownOrganizations(unknownOrganizationIds))
        }
        notes.push(...planNotes(piece.plan))
        progress.total = piece.plan.users
      } else if ('organization' in piece) await writer.organization(piece.organization)
      else {
        await writer.records(piece.list, piece.count, piece.records)
        if (piece.list === 'humanUsers' || piece.list === 'machineUsers') progress.done += piece.count
      }
      if (writer.bytes() > mostBytes) {
        await target.abort()
        return await jobs.fail(job.id, tooLarge(mostBytes))
      }
      if (now().getTime() - reportedAt < PROGRESS_MS) continue
      reportedAt = now().getTime()
      if (!(await jobs.setProgress(job.id, attempt, progress))) return await target.abort()
    }
    // Before the document is complete: an attempt that finds it so has nothing else to tell.
    const whole = { ...progress, done: progress.total }
    if (!(await jobs.setProgress(job.id, attempt, whole))) return await target.abort()
    await jobs.setNotes(job.id, notes)
    await jobs.setRecords(job.id, writer.counts())
    const more = await writer.end()
    await jobs.finish(job.id, { state: 'succeeded', notes: [...notes, ...more], attempt })
  } catch (error) {
    await target.abort()
    throw error
  } finally {
    left.abort()
  }
}

/** Waits while `keys` is away: without a manifest the whole document would be written again. */
async function signPatiently(
  { sign, stopping, pause }: Dependencies,
  archive: Parameters<SignManifest>[0],
  mayContinue: () => Promise<boolean>,
): Promise<string | undefined> {
  for (;;) {
    try {
      return await sign(archive)
    } catch (error) {
      if (!isPassing(error) || stopping() || !(await mayContinue())) throw error
      await pause(SIGN_PAUSE_MS)
    }
  }
}

function planNotes(plan: { instanceAdministrators: readonly string[]; notes: readonly string[] }) {
  return [
    ...plan.instanceAdministrators.map((held) => `not exported: the instance role of user ${held}`),
    ...plan.notes,
  ]
}

const MOST_NAMED = 20

function unknownOrganizations(ids: readonly string[]): JobError {
  const more = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : ''
  return {
    code: 'NOT_FOUND',
    message: `org_ids: there is no organization ${ids.slice(0, MOST_NAMED).join(', ')}${more}; nothing was exported`,
    resumable: false,
    details: [{ id: 'organization_unknown', field: 'org_ids' }],
  }
}

function tooLarge(mostBytes: number): JobError {
  return {
    code: 'INVALID_ARGUMENT',
    message: `the document is larger than ${mostBytes / 1_048_576} MiB; write it to storage with storage_output`,
    resumable: false,
    details: [{ id: 'document_too_large', field: 'storage_output' }],
  }
}
