import type { Queryable, Rows, Statement } from '@signet/platform/postgres/pool'
import { expect, it } from 'vitest'
import { PostgresDirectoryFeed } from './follow-epochs.ts'

const ENDING = { kind: 'u', id: 'alice', epoch: 1, isRecorded: false }

/** A server that returns ENDING when it is asked for all rows. */
function fakeServer() {
  const server = { history: '1 00000001', isOlder: false, asked: [] as unknown[] }
  const database: Queryable = {
    async query<R>({ values = [] }: Statement): Promise<Rows<R>> {
      const [since] = values
      server.asked.push(since)
      const { history, isOlder } = server
      const row = { next: '20:20:', history, isOlder: isOlder && since !== null }
      const rows = [{ ...row, endings: since === null ? [ENDING] : [] }] as R[]
      return { rows, rowCount: 1 }
    },
  }
  return { server, feed: new PostgresDirectoryFeed(database) }
}

it.each([
  ['another history', { history: '1 00000002' }],
  ['an older snapshot', { isOlder: true }],
])('reads all rows again after a promotion of a server with %s, once', async (_, promoted) => {
  const { server, feed } = fakeServer()
  feed.advance((await feed.read()).next)
  expect((await feed.read()).endings).toEqual([])
  Object.assign(server, promoted)
  const { endings, next } = await feed.read()
  expect(endings).toEqual([ENDING])
  feed.advance(next)
  server.isOlder = false
  expect((await feed.read()).endings).toEqual([])
  expect(server.asked).toEqual([null, '20:20:', '20:20:', null, '20:20:'])
})
