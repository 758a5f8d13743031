import { randomBytes } from 'node:crypto'
import type { Database, Rows, Statement } from '@signet/platform/postgres/pool'
import { createFakeClock } from '@signet/testing/fake-clock'
import { expect, it } from 'vitest'
import { createRevocationDatabase } from './revocation-database.ts'
import { RevocationSet } from './revocation-set.ts'

it('counts again no sooner than 30 seconds after a count that failed', async () => {
  const clock = createFakeClock()
  const elapsed = () => clock.now().getTime()
  const position = {
    in_recovery: false,
    snapshot: '9:9:',
    xmax: '9',
    server: '1 1',
    generation: 0,
    xid: null,
  }
  let counts = 0
  const database: Pick<Database, 'query' | 'transaction'> = {
    transaction: () => Promise.reject(new Error('nothing to load')),
    async query<R>({ name }: Statement): Promise<Rows<R>> {
      if (name === 'revocation.count') {
        counts += 1
        throw new Error('PostgreSQL did not respond in time')
      }
      const rows = (name === 'revocation.poll' ? [position] : []) as R[]
      return { rows, rowCount: rows.length }
    },
  }
  const problems: unknown[] = []
  const truth = createRevocationDatabase({
    ...{ database, elapsed, maxEndings: 10, jitter: () => 0, keep: () => undefined },
    set: new RevocationSet(10, () => elapsed() / 1_000, randomBytes(8)),
    onOtherHistory: () => undefined,
    onProblem: (error) => problems.push(error),
  })
  const pollAfter = async (ms: number) => {
    clock.advance(ms)
    await truth.poll()
  }
  for (const ms of [0, 1_000, 28_999]) await pollAfter(ms)
  expect([counts, problems.length]).toEqual([1, 1])
  await pollAfter(1)
  expect([counts, truth.isComplete()]).toEqual([2, false])
})
