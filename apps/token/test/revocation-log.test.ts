import { LOG_KEY } from '@signet/revocation-reader/endings'
import { size } from '@signet/testing/sizes'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  askedUntilLogAnswers,
  endOf,
  newToken,
  type ReaderEnvironment,
  startReaderEnvironment,
  untilLogAnswers,
} from './fixtures/reader-environment.ts'

let environment: ReaderEnvironment
beforeEach(async () => {
  environment = await startReaderEnvironment()
})
afterEach(() => environment.stop())

/** Number of concurrent calls of each writer. */
const CALLS_AT_ONCE = 4

it('shows every ending that was appended before the call, and no other, while calls and reads overlap', {
  timeout: 600_000,
}, async () => {
  const { writer, reader } = await environment.following()
  const readers = [reader, await environment.reader(), await environment.reader()]
  for (const each of readers) await untilLogAnswers(each)
  const writers = [writer, await environment.writer()]
  const lanes = writers.flatMap((each) => Array.from({ length: CALLS_AT_ONCE }, () => each))
  const alive = newToken()
  const [ofEnded, ofAlive] = [new Set<boolean | undefined>(), new Set<boolean | undefined>()]
  await Promise.all(
    lanes.map(async ({ append }) => {
      for (let round = 0; round < size('revocations') / CALLS_AT_ONCE; round += 1) {
        const token = newToken()
        // Reads that were sent before the ending, which must not serve a check after it.
        const early = readers.map((each) => each.askLog(token))
        await append([endOf(token)])
        for (const answer of await Promise.all(readers.map((each) => each.askLog(token)))) ofEnded.add(answer)
        for (const answer of await Promise.all(readers.map((each) => each.askLog(alive)))) ofAlive.add(answer)
        await Promise.all(early)
      }
    }),
  )
  expect(ofEnded).toEqual(new Set([true]))
  expect(ofAlive).toEqual(new Set([false]))
})

it('does not serve a check with a read that was sent before it', async () => {
  const { writer, reader } = await environment.following()
  const token = newToken()
  environment.redis.freeze()
  const early = reader.askLog(token)
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  const appended = writer.append([endOf(token)])
  environment.redis.thaw()
  await appended
  const late = reader.askLog(token)
  await early
  expect(await late).toBe(true)
})

it('serves all checks of one turn with one XRANGE', async () => {
  const { writer, reader } = await environment.following()
  const tokens = Array.from({ length: 40 }, () => newToken())
  const ended = tokens.filter((_, n) => n % 3 === 0)
  for (const token of ended) await writer.end([endOf(token)])
  // It reads the log each second as well.
  await reader.stop()
  const before = await callsOf('xrange')
  const answers = await Promise.all(tokens.map((token) => reader.askLog(token)))
  expect(answers).toEqual(tokens.map((token) => ended.includes(token)))
  expect(await callsOf('xrange')).toBe(before + 1)
})

it('serves a reader that starts later', async () => {
  const { writer } = await environment.following()
  const [ended, alive] = [newToken(), newToken()]
  await writer.end([endOf(ended)])
  const late = await environment.reader()
  expect(await askedUntilLogAnswers(late, ended)).not.toContain(false)
  expect(await late.askLog(ended)).toBe(true)
  expect(await late.askLog(alive)).toBe(false)
})

it.each([1_001, 4_500])('catches up with %i entries in reads of 1,000', async (count) => {
  const { writer, reader } = await environment.following()
  const ended = Array.from({ length: count }, () => newToken())
  // Not all at once: a command that waits for a second behind others times out.
  for (let from = 0; from < count; from += 500) {
    await Promise.all(ended.slice(from, from + 500).map((token) => writer.append([endOf(token)])))
  }
  const asked = async () => new Set(await Promise.all(ended.map((token) => reader.askLog(token))))
  expect(await asked()).not.toContain(false)
  await untilLogAnswers(reader)
  expect(await asked()).toEqual(new Set([true]))
})

it('catches up with large entries', async () => {
  const { writer, reader } = await environment.following()
  const ended = Array.from({ length: 40_000 }, () => newToken())
  for (let from = 0; from < ended.length; from += 1_000) {
    await writer.append(ended.slice(from, from + 1_000).map(endOf))
  }
  const last = ended.at(-1) ?? newToken()
  expect(await askedUntilLogAnswers(reader, last)).not.toContain(false)
  expect(await reader.askLog(last)).toBe(true)
})

it('loads again when the log begins after the last entry that a reader knows', async () => {
  const { writer, reader } = await environment.following()
  const ended = [newToken(), newToken(), newToken()]
  for (const token of ended) await writer.end([endOf(token)])
  await environment.redis.admin.xtrim(LOG_KEY, 'MAXLEN', 1)
  for (const token of ended) {
    expect(await askedUntilLogAnswers(reader, token)).not.toContain(false)
    expect(await reader.askLog(token)).toBe(true)
  }
  expect(await reader.askLog(newToken())).toBe(false)
})

it('begins again after an entry that the token service did not write', async () => {
  const { writer, reader } = await environment.following()
  const [before, after] = [newToken(), newToken()]
  await writer.end([endOf(before)])
  await environment.redis.admin.xadd(LOG_KEY, '*', 't:one', 'yes')
  await environment.record([endOf(after)])
  expect(await reader.askLog(newToken())).toBeUndefined()
  await untilLogAnswers(reader)
  for (const token of [before, after]) expect(await reader.askLog(token)).toBe(true)
})

it('is not used without an entry, or when its key has another type', async () => {
  const reader = await environment.reader()
  for (let n = 0; n < 3; n += 1) expect(await reader.askLog(newToken())).toBeUndefined()
  await environment.redis.admin.set(LOG_KEY, 'of another type')
  expect(await reader.askLog(newToken())).toBeUndefined()
  await environment.redis.admin.del(LOG_KEY)
  await (await environment.writer()).openLog()
  await untilLogAnswers(reader)
})

/** How often Redis was sent a command. */
async function callsOf(command: string): Promise<number> {
  const statistics = await environment.redis.admin.info('commandstats')
  return Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(statistics)?.[1] ?? 0)
}
