import { SILENCE_MS } from '@signet/revocation-reader/circuit-breaker'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  endOf,
  newToken,
  type ReaderEnvironment,
  startReaderEnvironment,
  untilSetAnswers,
} from './fixtures/reader-environment.ts'

let environment: ReaderEnvironment
beforeEach(async () => {
  environment = await startReaderEnvironment()
})
afterEach(() => environment.stop())

it('asks PostgreSQL after 100 ms of silence of Redis, at once from then on, and Redis again when it replies', async () => {
  const { writer, reader } = await environment.following()
  await untilSetAnswers(reader)
  const ended = newToken()
  await writer.end([endOf(ended)])
  environment.redis.freeze()
  const started = performance.now()
  const first = await Promise.all(Array.from({ length: 20 }, () => reader.isEnded(newToken())))
  const waitedMs = performance.now() - started
  expect(new Set(first)).toEqual(new Set([false]))
  expect(waitedMs).toBeGreaterThanOrEqual(SILENCE_MS - 5)
  // A command would be given up after 2 s only: less is the limit on silence.
  expect(waitedMs).toBeLessThan(1_500)
  const before = reader.statements('revocation.any_ended')
  const afterwards = performance.now()
  for (let check = 0; check < 20; check += 1) expect(await reader.isEnded(newToken())).toBe(false)
  expect((performance.now() - afterwards) / 20).toBeLessThan(SILENCE_MS - 5)
  expect(reader.statements('revocation.any_ended')).toBe(before + 20)
  expect(await reader.isEnded(ended)).toBe(true)
  expect(reader.reports.filter((report) => report.includes('silent'))).toHaveLength(1)
  environment.redis.thaw()
  await untilSetAnswers(reader)
  expect(reader.reports).toContain('revocation_log_available')
})
