import type { Logger } from '@signet/platform/logger/logger'
import { createRedis } from '@signet/platform/redis/client'
import { createPatientRedis } from '@signet/platform/redis/patient-client'
import { type SpanDescription, type Tracing, traceCall, traceWork } from '@signet/platform/tracing/tracing'
import { Queue, Worker } from 'bullmq'

/** Dispatches jobs to workers. It is never the only copy of one: PostgreSQL holds the truth. */
export interface JobQueue {
  /** Tells workers of a job, so that several may share it. Rejects while Redis is away. */
  dispatch(jobId: string, attempt: number): Promise<void>
  /** Whether the queue's Redis answers now; known within two seconds. */
  isReachable(): Promise<boolean>
  /** Shares of jobs by state, as they were when the queue's Redis was last asked whether it is reachable. */
  shares(): Readonly<Record<'waiting' | 'active', number>>
  close(): Promise<void>
}

/** The hash tag keeps all keys of the queue in one slot of a cluster. */
export const QUEUE = { name: 'jobs', prefix: '{signet-mig}' } as const

/** How many may work on one job at a time: one reads and unseals while the directory writes for another. */
const SHARES = 2
/** How many shares of jobs one process works on at a time. */
const CONCURRENCY = 4

interface Share {
  readonly jobId: string
  /** The trace of the request that asked for the job. */
  readonly traceparent?: string
}

export interface QueueOptions {
  /** As `readRedisUrl` parses it: a single server, Sentinel or a cluster. */
  readonly redisUrl: { reveal(): string }
  readonly logger: Logger
  readonly tracing: Tracing | undefined
}

/**
 * Opens the queue of exports and imports. It connects by itself and goes on trying; meanwhile what is asked of it fails at
 * once.
 */
export function openJobQueue({ redisUrl, logger, tracing }: QueueOptions): JobQueue {
  const unreachable = (error: unknown) => logger.warn('queue_unreachable', { error })
  const connection = createRedis({ url: redisUrl, name: 'migration-queue', onError: unreachable })
  connection.connect().catch(unreachable)
  const queue = new Queue<Share>(QUEUE.name, {
    prefix: QUEUE.prefix,
    connection,
    // Otherwise the first connection must come about before anything fails, and one bad moment in it is final.
    skipWaitingForReady: true,
    skipVersionCheck: true,
  })
  queue.on('error', unreachable)
  let shares = { waiting: 0, active: 0 }

  async function send(jobId: string, attempt: number, traceparent: string | undefined): Promise<void> {
    const entries = Array.from({ length: SHARES }, (_, share) => ({
      name: 'share',
      data: { jobId, ...(traceparent !== undefined && { traceparent }) },
      opts: { jobId: `${jobId}-${attempt}-${share}`, removeOnComplete: true, removeOnFail: true },
    }))
    await queue.addBulk(entries)
  }

  return {
    shares: () => shares,
    dispatch: (jobId, attempt) =>
      tracing === undefined
        ? send(jobId, attempt, undefined)
        : traceCall(tracing, queueSpan('send', 'producer'), (span) =>
            send(jobId, attempt, span?.traceparent),
          ),
    async isReachable() {
      // Why it is not, the connection has reported itself, unless it is only on its way.
      if (connection.status !== 'ready') return false
      try {
        const { waiting = 0, active = 0 } = await queue.getJobCounts('waiting', 'active')
        shares = { waiting, active }
        return true
      } catch (error) {
        unreachable(error)
        return false
      }
    },
    async close() {
      await queue.close()
      connection.disconnect()
    },
  }
}

/** Runs shares of jobs as the queue hands them out, until it is closed. */
export function startWorker(
  run: (jobId: string) => Promise<void>,
  { redisUrl, logger, tracing }: QueueOptions,
): { close(): Promise<void> } {
  const unreachable = (error: unknown) => logger.warn('queue_unreachable', { error })
  const connection = createPatientRedis({ url: redisUrl, name: 'migration-worker', onError: unreachable })
  const traced = async ({ jobId, traceparent }: Share) => {
    if (tracing === undefined) return await run(jobId)
    const span = tracing.continueFrom(traceparent, queueSpan('process', 'consumer'))
    await traceWork(tracing, span, () => run(jobId))
  }
  const worker = new Worker<Share>(QUEUE.name, ({ data }) => traced(data), {
    prefix: QUEUE.prefix,
    connection,
    concurrency: CONCURRENCY,
    skipVersionCheck: true,
  })
  worker.on('error', unreachable)
  return {
    async close() {
      // Batches finish first; the rest of the job is in PostgreSQL.
      await worker.close()
      connection.disconnect()
    },
  }
}

function queueSpan(operation: 'send' | 'process', kind: 'producer' | 'consumer'): SpanDescription {
  return {
    name: `${operation} ${QUEUE.name}`,
    kind,
    attributes: {
      'messaging.system': 'bullmq',
      'messaging.operation.name': operation,
      'messaging.operation.type': operation,
      'messaging.destination.name': QUEUE.name,
    },
  }
}
