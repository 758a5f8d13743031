import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import { createRedis } from '@signet/platform/redis/client'
import { createQueueConnection } from '@signet/platform/redis/queue-connection'
import { type SpanDescription, type Tracing, traceCall, traceWork } from '@signet/platform/tracing/tracing'
import { Queue, Worker } from 'bullmq'

/** Dispatches jobs to workers. It is never the only copy of one: PostgreSQL holds the truth. */
export interface JobQueue {
  /** Queues entries of a job, so that several workers may run it. Rejects while Redis is unavailable. */
  dispatch(jobId: string, attempt: number): Promise<void>
  /** Whether the queue's Redis takes a write now; known within two seconds. A full or read-only one does not. */
  isReachable(): Promise<boolean>
  /** Entries by state, as they were when `isReachable` was last called. */
  counts(): Readonly<Record<'waiting' | 'active', number>>
  close(): Promise<void>
}

/** The hash tag keeps all keys of the queue in one slot of a cluster. */
export const QUEUE = { name: 'jobs', prefix: '{signet-mig}' } as const

const PROBE_KEY = `${QUEUE.prefix}:${QUEUE.name}:probe`
const PROBE_KEPT_MS = 10_000
/** Entries of one job: one worker reads and unseals while the directory writes for another. */
const ENTRIES_PER_JOB = 2
/** Entries that one process runs at a time. */
const CONCURRENCY = 4
const CLOSE_MS = 1_000

interface QueueEntry {
  readonly jobId: string
  /** The trace of the request that asked for the job. */
  readonly traceparent?: string
}

export interface QueueOptions {
  /** URL as `readRedisUrl` parses it: a single server, Sentinel or a cluster. */
  readonly redisUrl: { reveal(): string }
  readonly logger: Logger
  readonly tracing: Tracing | undefined
}

/**
 * Opens the queue of exports and imports. It connects by itself and keeps trying; meanwhile calls fail at once.
 */
export function openJobQueue({ redisUrl, logger, tracing }: QueueOptions): JobQueue {
  const unreachable = (error: unknown) => logger.warn('queue_unreachable', { error })
  const connection = createRedis({ url: redisUrl, name: 'migration-queue', onError: unreachable })
  connection.connect().catch(unreachable)
  const queue = new Queue<QueueEntry>(QUEUE.name, {
    prefix: QUEUE.prefix,
    connection,
    // Otherwise the first connection must come about before anything fails, and one bad moment in it is final.
    skipWaitingForReady: true,
    skipVersionCheck: true,
  })
  queue.on('error', unreachable)
  let counts = { waiting: 0, active: 0 }

  async function send(jobId: string, attempt: number, traceparent: string | undefined): Promise<void> {
    const entries = Array.from({ length: ENTRIES_PER_JOB }, (_, entry) => ({
      name: 'share',
      data: { jobId, ...(traceparent !== undefined && { traceparent }) },
      opts: { jobId: `${jobId}-${attempt}-${entry}`, removeOnComplete: true, removeOnFail: true },
    }))
    await queue.addBulk(entries)
  }

  return {
    counts: () => counts,
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
        // A server that is full or follows another one answers reads.
        await connection.set(PROBE_KEY, '1', 'PX', PROBE_KEPT_MS)
        const { waiting = 0, active = 0 } = await queue.getJobCounts('waiting', 'active')
        counts = { waiting, active }
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

/** Runs the entries of the queue until it is closed: it takes no more then, and waits for those that run, also without Redis. */
export function startQueueWorker(
  run: (jobId: string) => Promise<void>,
  { redisUrl, logger, tracing }: QueueOptions,
): { close(): Promise<void> } {
  const unreachable = (error: unknown) => logger.warn('queue_unreachable', { error })
  const connection = createQueueConnection({ url: redisUrl, name: 'migration-worker', onError: unreachable })
  const running = new Set<Promise<void>>()
  const traced = async ({ jobId, traceparent }: QueueEntry) => {
    if (tracing === undefined) return await run(jobId)
    const span = tracing.continueFrom(traceparent, queueSpan('process', 'consumer'))
    await traceWork(tracing, span, () => run(jobId))
  }
  const tracked = async (entry: QueueEntry) => {
    const work = traced(entry)
    running.add(work)
    try {
      await work
    } finally {
      running.delete(work)
    }
  }
  const worker = new Worker<QueueEntry>(QUEUE.name, ({ data }) => tracked(data), {
    prefix: QUEUE.prefix,
    connection,
    concurrency: CONCURRENCY,
    skipVersionCheck: true,
  })
  worker.on('error', unreachable)
  return {
    async close() {
      const closed = worker.close().then(() => true)
      // Batches finish first; the rest of the job is in PostgreSQL.
      await Promise.allSettled(running)
      // BullMQ waits for ever for a Redis that is away. An entry that it could not give back wakes another worker later.
      if (!(await Promise.race([closed, pause(CLOSE_MS, false)]))) {
        logger.warn('queue_not_closed')
        void worker.disconnect().catch(unreachable)
      }
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

/** Registers how much is queued and worked on, by all workers together. */
export function measureQueue(metrics: Metrics | undefined, queue: Pick<JobQueue, 'counts'>): void {
  const entries = {
    name: 'signet_migration_queue_shares',
    help: 'Shares of exports and imports in the queue of all workers.',
    labels: ['state'],
  } as const
  metrics?.gauge(entries, () =>
    Object.entries(queue.counts()).map(([state, value]) => ({ labels: { state }, value })),
  )
}
