import type { Metrics } from '@signet/platform/metrics/metrics'
import type { RunOutcome } from '../runs/run-job.ts'
import type { JobQueue } from './job-queue.ts'

/** Registers how much is queued and worked on, by all workers together. */
export function measureQueue(metrics: Metrics | undefined, queue: Pick<JobQueue, 'shares'>): void {
  const shares = {
    name: 'signet_migration_queue_shares',
    help: 'Shares of exports and imports in the queue of all workers.',
    labels: ['state'],
  } as const
  metrics?.gauge(shares, () =>
    Object.entries(queue.shares()).map(([state, value]) => ({ labels: { state }, value })),
  )
}

/** Registers how the runs of this worker end, and answers what counts one. */
export function runCounter(metrics: Metrics | undefined): (outcome: RunOutcome) => void {
  const count = metrics?.counter({
    name: 'signet_migration_runs_total',
    help: 'Runs of exports and imports by how they came to their end; failed is a defect.',
    labels: ['outcome'],
  })
  return (outcome) => count?.({ outcome })
}
