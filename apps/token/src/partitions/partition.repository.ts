import { createPartitions, dropPartitions } from '@signet/platform/postgres/partitions'
import type { Database } from '@signet/platform/postgres/pool'
import type { PartitionPlan } from './partition-plan.ts'

/** Creates and drops partitions of the tables of schema `grants`; readers and writers of the tables do not wait. */
export class PartitionStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Creates the partitions of the plans. Any number of replicas may call it at once; each is created once. */
  async create(plans: readonly PartitionPlan[]): Promise<void> {
    for (const { table, first, last, span } of plans) {
      const partitions = Array.from({ length: last - first + 1 }, (_, index) => {
        const number = first + index
        return { suffix: `${number}`, from: `${number * span}`, to: `${(number + 1) * span}` }
      })
      await createPartitions(this.#database, { schema: 'grants', name: table }, partitions)
    }
  }

  /** Drops the partitions before those of the plans, except those that another transaction reads. */
  async drop(plans: readonly PartitionPlan[]): Promise<void> {
    for (const { table, first } of plans) {
      const isOver = (suffix: string) => Number(suffix) < first
      await dropPartitions(this.#database, { schema: 'grants', name: table }, isOver)
    }
  }
}
