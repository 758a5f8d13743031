import type { Queryable } from '@signet/platform/postgres/pool'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ChangeFeed } from '../../../packages/directory-reader/src/change-feed.ts'
import { type DirectoryFixture, directoryFixture, sampleDocument } from './directory-fixture.ts'

let directory: DirectoryFixture
beforeAll(async () => {
  directory = await directoryFixture()
  await directory.apply(sampleDocument())
})
afterAll(() => directory?.stop())

/** A feed whose first poll reads what a server of another history would have said. */
function feedAfter(changed: (row: Readonly<Record<string, string>>) => object) {
  const database = directory.as('signet_token')
  let polls = 0
  const source: Queryable = {
    async query(statement) {
      const result = await database.query<Record<string, string>>(statement)
      polls += 1
      const rows = polls === 1 ? result.rows.map((row) => ({ ...row, ...changed(row) })) : result.rows
      return { ...result, rows } as never
    },
  }
  return new ChangeFeed(source)
}

it.each([
  ['a server that had come further', () => ({ snapshot: '4000000000:4000000000:' })],
  ['the timeline before a promotion', ({ server = '' }) => ({ server: server.replace(/.$/, '0') })],
  ['another server', ({ server = '' }) => ({ server: `1${server}` })],
] as const)('drops every row after a poll of %s', async (_, changed) => {
  const feed = feedAfter(changed)
  expect(await feed.read()).toEqual({ overflow: true })
  expect(await feed.read()).toEqual({ overflow: true })
  expect(await feed.read()).toMatchObject({ overflow: false })
})
