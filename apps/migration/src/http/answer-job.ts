import type { Request, Response } from 'express'
import type { Job } from '../runs/job.ts'
import { jobBody, jobPath, jobRefusal } from './job-representation.ts'

/** How a call that starts a job is answered: with the job at once, or with its result. */
export interface AnswerJob {
  /** 202, and where to look. */
  withJob(res: Response, jobId: string): Promise<void>
  /** Waits for the job and answers its result. The job goes on when the caller goes away. */
  whenDone(res: Response, jobId: string, result: AsyncIterable<string | Buffer>): Promise<void>
}

interface AnswerJobOptions {
  readonly find: (jobId: string) => Promise<Job | undefined>
  readonly wait: (jobId: string, givenUp: () => boolean) => Promise<Job | undefined>
}

export function answerJob({ find, wait }: AnswerJobOptions): AnswerJob {
  return {
    async withJob(res, jobId) {
      const job = await find(jobId)
      res
        .status(202)
        .set('Location', jobPath(jobId))
        .json(job && jobBody(job))
    },
    async whenDone(res, jobId, result) {
      const job = await wait(jobId, () => res.closed)
      if (job === undefined) return
      const refusal = jobRefusal(job)
      if (refusal !== undefined) throw refusal
      res.status(200).set('X-Signet-Job', jobId).type('application/json')
      await writeAll(res, result)
    },
  }
}

/** Whether the caller wants the job instead of its result (RFC 7240 section 4.1). */
export function prefersAsync(req: Request): boolean {
  return /(^|,)\s*respond-async\s*(;|,|$)/i.test(String(req.headers.prefer ?? ''))
}

/** Writes at the pace of the reader. */
export async function writeAll(res: Response, pieces: AsyncIterable<string | Buffer>): Promise<void> {
  for await (const piece of pieces) {
    if (res.closed) return
    if (!res.write(piece)) await drained(res)
  }
  res.end()
}

function drained(res: Response): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done)
      res.off('close', done)
      resolve()
    }
    res.on('drain', done)
    res.on('close', done)
  })
}
