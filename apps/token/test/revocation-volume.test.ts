import { size } from '@signet/testing/sizes'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { newToken, type ReaderEnvironment, startReaderEnvironment } from './fixtures/reader-environment.ts'

let environment: ReaderEnvironment
beforeEach(async () => {
  environment = await startReaderEnvironment()
})
afterEach(() => environment.stop())

const ENDINGS = size('liveEndings')
const tokenOf = (n: number) => ({ tokenId: `00000000-0000-4000-8000-${n}`, organizations: [] })

async function record(count: number): Promise<void> {
  await environment.database.transaction(
    async (tx) => {
      await tx.query({
        name: '',
        text: `INSERT INTO grants.revocation (day, kind, id, value, until)
               SELECT extract(epoch FROM until)::bigint / 86400, 't', '00000000-0000-4000-8000-' || n, 1, until
                 FROM generate_series(1, $1) AS n, LATERAL (SELECT clock_timestamp() + n % 86400 * interval '1 second' + interval '1 minute') AS made (until)`,
        values: [count],
      })
      // Statistics make the planner choose other plans than a new table does.
      await tx.query({ name: '', text: 'ANALYZE grants.revocation' })
    },
    { kind: 'long' },
  )
}

/** The longest time of CPU between two timers that are due each millisecond: pauses of the machine do not count. */
function watchHeldMs() {
  let longest = 0
  let before = process.threadCpuUsage()
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    before = process.threadCpuUsage()
    longest = Math.max(longest, (user + system) / 1_000)
  }, 1)
  return {
    stop: () => {
      clearInterval(timer)
      return longest
    },
  }
}

it('loads all live endings and checks against them without blocking the event loop', {
  timeout: 600_000,
}, async () => {
  await record(ENDINGS)
  await (await environment.writer()).openLog()
  const before = process.memoryUsage()
  const held = watchHeldMs()
  const started = performance.now()
  const reader = await environment.reader()
  await expect
    .poll(
      async () => {
        const queries = reader.statements('revocation.any_ended')
        await reader.isEnded(newToken())
        return reader.statements('revocation.any_ended') - queries
      },
      { timeout: 120_000, interval: 100 },
    )
    .toBe(0)
  const seconds = (performance.now() - started) / 1_000
  const longestMs = held.stop()
  const after = process.memoryUsage()
  const megabytes = (after.arrayBuffers - before.arrayBuffers) / 1e6
  const figures = {
    endings: ENDINGS,
    seconds,
    megabytes,
    residentGrowth: (after.rss - before.rss) / 1e6,
    longestMs,
  }
  process.stderr.write(`${JSON.stringify(figures)}\n`)
  const sample = Array.from({ length: 1_000 }, (_, n) => tokenOf(1 + Math.floor((n * (ENDINGS - 1)) / 999)))
  const queries = reader.statements('revocation.any_ended')
  expect(new Set(await Promise.all(sample.map(reader.isEnded)))).toEqual(new Set([true]))
  expect(await reader.isEnded(tokenOf(ENDINGS + 1))).toBe(false)
  expect(reader.statements('revocation.any_ended')).toBe(queries)
  // One scan: with a statement for each page, PostgreSQL reads and sorts all following rows for each of them.
  expect(reader.statements('revocation.load')).toBe(1)
  expect(seconds).toBeLessThan(15)
  expect(megabytes).toBeLessThan(80)
  expect(longestMs).toBeLessThan(100)
})

it('checks correctly by PostgreSQL above the bound', { timeout: 900_000 }, async () => {
  const endings = size('endingsBeyondBound')
  const maxEndings = endings / 5
  await record(endings)
  await (await environment.writer()).openLog()
  const reader = await environment.reader({ maxEndings })
  await reader.poll()
  await reader.poll()
  const started = performance.now()
  const sample = Array.from({ length: 1_000 }, (_, n) => tokenOf(1 + Math.floor((n * (endings - 1)) / 999)))
  expect(new Set(await Promise.all(sample.map(reader.isEnded)))).toEqual(new Set([true]))
  process.stderr.write(`1,000 checks at once by PostgreSQL: ${performance.now() - started} ms\n`)
  expect(await reader.isEnded(tokenOf(endings + 1))).toBe(false)
  expect(reader.statements('revocation.load')).toBe(0)
})
