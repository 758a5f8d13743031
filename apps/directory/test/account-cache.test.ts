import { createDirectoryReader, type DirectoryReader } from '@signet/directory-reader/directory-reader'
import { silentLogger } from '@signet/platform/logger/logger'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type DirectoryFixture, directoryFixture, sampleDocument } from './directory-fixture.ts'

/** Far longer than any test: polls happen when a test asks for them. */
const NEVER_MS = 3_600_000

let directory: DirectoryFixture
let reader: DirectoryReader
beforeAll(async () => {
  directory = await directoryFixture()
  await directory.apply(sampleDocument())
})
beforeEach(async () => {
  const database = directory.as('signet_introspection')
  const elapsed = () => directory.clock.now().getTime()
  reader = createDirectoryReader({ database, elapsed, logger: silentLogger, pollIntervalMs: NEVER_MS })
  await reader.poll()
})
afterEach(() => reader.stop())
afterAll(() => directory?.stop())

async function requireAlice() {
  const account = await reader.account('alice')
  if (account === undefined) throw new Error('alice is in the sample document')
  return account
}

const TEN = { maxSize: 10, sizeOf: () => 1 }
const nowMs = () => directory.clock.now().getTime()

it.each([
  ['the account', "UPDATE directory.account SET display_name = 'A. Lice' WHERE user_id = 'alice'"],
  ['its metadata', "UPDATE directory.user_metadata SET value = '\\x02'"],
  ['its state', "UPDATE directory.account SET state = 'locked' WHERE user_id = 'alice'"],
  ['its organization', "UPDATE directory.organization SET name = 'New' WHERE organization_id = 'acme'"],
])(
  'keeps a value derived from an account until a poll of the feed reports a change of %s',
  async (_, change) => {
    const cache = reader.createAccountCache<string>(TEN)
    cache.set('response', 'derived', { account: await requireAlice(), readAt: nowMs() })
    await directory.rows('UPDATE directory.application SET dev_mode = NOT dev_mode')
    await directory.rows("UPDATE directory.account SET nickname = 'x' WHERE user_id = 'migrator-id'")
    await reader.poll()
    expect(cache.get('response')).toBe('derived')
    await directory.rows(change)
    await reader.poll()
    expect(cache.get('response')).toBeUndefined()
    cache.set('response', 'derived again', { account: await requireAlice(), readAt: nowMs() })
    await reader.poll()
    expect(cache.get('response')).toBe('derived again')
  },
)

it('does not keep a value derived from an outdated row', async () => {
  const cache = reader.createAccountCache<string>(TEN)
  const account = await requireAlice()
  await directory.rows("UPDATE directory.account SET display_name = 'Changed' WHERE user_id = 'alice'")
  await reader.poll()
  cache.set('late', 'derived', { account, readAt: nowMs() })
  expect(cache.get('late')).toBeUndefined()
  // Also not after another read of the row.
  await requireAlice()
  cache.set('later', 'derived', { account, readAt: nowMs() })
  expect(cache.get('later')).toBeUndefined()
})

it('expires a value with the age of its row, without the feed', async () => {
  const cache = reader.createAccountCache<string>(TEN)
  await requireAlice()
  directory.clock.advance(59_000)
  cache.set('response', 'derived', { account: await requireAlice(), readAt: nowMs() })
  directory.clock.advance(999)
  expect(cache.get('response')).toBe('derived')
  directory.clock.advance(1)
  expect(cache.get('response')).toBeUndefined()
})

it('drops values from every cache of a reader when the feed has too many changes', async () => {
  const caches = [reader.createAccountCache<string>(TEN), reader.createAccountCache<string>(TEN)]
  const account = await requireAlice()
  for (const cache of caches) cache.set('response', 'derived', { account, readAt: nowMs() })
  for (const cache of caches) expect(cache.get('response')).toBe('derived')
  await directory.rows(
    "INSERT INTO directory.change (kind, id) SELECT 'project', n::text FROM generate_series(1, 6000) n",
  )
  await reader.poll()
  for (const cache of caches) expect(cache.get('response')).toBeUndefined()
})
