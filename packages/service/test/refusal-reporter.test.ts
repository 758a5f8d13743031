import type { Refusal } from '@signet/http/refusals'
import { silentLogger } from '@signet/platform/logger/logger'
import { createMetrics } from '@signet/platform/metrics/metrics'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  createRefusalReporter,
  MOST_OF_CLIENT,
  MOST_WAITING,
  type RefusalEvent,
  type SendRefusals,
} from '../src/refusal-reporter.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const refusal = (more: Partial<Refusal> = {}): Refusal => ({
  requestId: 'r',
  clientId: 'web',
  result: 'refused',
  reason: 'redirect_uri_unregistered',
  clientAddress: '192.0.2.1',
  values: {},
  ...more,
})

function start(more: { readonly send?: SendRefusals | undefined } = {}) {
  const sent: (readonly RefusalEvent[])[] = []
  const metrics = createMetrics()
  const send: SendRefusals = async (events) => void sent.push(events)
  const reporter = createRefusalReporter({
    send,
    now: () => new Date(),
    logger: silentLogger,
    metrics,
    ...more,
  })
  const counts = async () =>
    Object.fromEntries(
      [...(await metrics.text()).matchAll(/^signet_refusal_events_total\{outcome="(\w+)"\} (\d+)$/gm)].map(
        ([, outcome, count]) => [outcome, Number(count)],
      ),
    )
  return { reporter, sent, counts }
}

it('sends the events of a second in one call, and nothing while there are none', async () => {
  const { reporter, sent, counts } = start()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(sent).toEqual([])
  for (const requestId of ['r1', 'r2']) reporter.report(refusal({ requestId }))
  await vi.advanceTimersByTimeAsync(999)
  expect(sent).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(sent.map((events) => events.map((event) => event.refusal.requestId))).toEqual([['r1', 'r2']])
  expect(new Set(sent.flat().map(({ id }) => id)).size).toBe(2)
  expect(await counts()).toEqual({ delivered: 2 })
})

it('drops and counts events without a client', async () => {
  const { reporter, sent, counts } = start()
  for (let n = 0; n < 10_000; n++) reporter.report(refusal({ clientId: undefined }))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(sent).toEqual([])
  expect(await counts()).toEqual({ without_client: 10_000 })
})

it('takes a bounded number of one client in a round, so that others keep their place', async () => {
  const { reporter, sent, counts } = start()
  for (let n = 0; n < 500; n++) reporter.report(refusal({ clientId: 'loud' }))
  reporter.report(refusal({ clientId: 'quiet' }))
  await vi.advanceTimersByTimeAsync(1_000)
  const clients = sent.flat().map((event) => event.refusal.clientId)
  expect(clients).toHaveLength(MOST_OF_CLIENT + 1)
  expect(clients.at(-1)).toBe('quiet')
  expect(await counts()).toEqual({ delivered: MOST_OF_CLIENT + 1, over_client_limit: 500 - MOST_OF_CLIENT })
  reporter.report(refusal({ clientId: 'loud' }))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(sent.flat()).toHaveLength(MOST_OF_CLIENT + 2)
})

it('holds a bounded number of events of many clients while the clock runs', async () => {
  const { reporter, sent, counts } = start()
  for (let n = 0; n < 3_000; n++) reporter.report(refusal({ clientId: `client-${n}` }))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(sent.every((events) => events.length <= 500)).toBe(true)
  expect(await counts()).toEqual({ delivered: MOST_WAITING, over_limit: 3_000 - MOST_WAITING })
})

it('reports an equal changed request once a minute', async () => {
  const { reporter, sent } = start()
  const changed = refusal({ result: 'changed', reason: 'scopes_dropped', values: { scopes: 'roles' } })
  for (let n = 0; n < 100; n++) reporter.report(changed)
  reporter.report({ ...changed, values: { scopes: 'profil' } })
  await vi.advanceTimersByTimeAsync(59_999)
  reporter.report(changed)
  await vi.advanceTimersByTimeAsync(1)
  expect(sent.flat()).toHaveLength(2)
  reporter.report(changed)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(sent.flat()).toHaveLength(3)
})

it('tries again while the directory is away, with the same ids, and drops what is a minute old', async () => {
  let isAway = true
  const tried: string[][] = []
  const { reporter, counts } = start({
    async send(events) {
      tried.push(events.map(({ id }) => id))
      if (isAway) throw new Error('away')
    },
  })
  reporter.report(refusal())
  await vi.advanceTimersByTimeAsync(3_000)
  isAway = false
  await vi.advanceTimersByTimeAsync(1_000)
  expect(new Set(tried.flat()).size).toBe(1)
  expect(tried).toHaveLength(4)
  expect(await counts()).toEqual({ delivered: 1 })
  isAway = true
  reporter.report(refusal())
  await vi.advanceTimersByTimeAsync(62_000)
  expect(await counts()).toEqual({ delivered: 1, not_delivered: 1 })
  const before = tried.length
  await vi.advanceTimersByTimeAsync(10_000)
  expect(tried).toHaveLength(before)
})

it('returns at once while the directory does not answer, within its bounds', async () => {
  const { reporter, counts } = start({ send: () => new Promise(() => undefined) })
  for (let second = 0; second < 100; second++) {
    for (let n = 0; n < 100; n++) reporter.report(refusal({ clientId: `client-${n}` }))
    await vi.advanceTimersByTimeAsync(1_000)
  }
  const { over_limit: overLimit = 0, over_client_limit: overClient = 0 } = await counts()
  expect(overLimit + overClient).toBe(10_000 - MOST_WAITING)
})

it('sends what waits when it stops, and takes no more', async () => {
  const { reporter, sent, counts } = start()
  reporter.report(refusal())
  await reporter.stop()
  reporter.report(refusal())
  await vi.advanceTimersByTimeAsync(5_000)
  expect(sent.flat()).toHaveLength(1)
  expect(await counts()).toEqual({ delivered: 1, not_delivered: 1 })
})

it('drops and counts each event without the address of the directory', async () => {
  const { reporter, counts } = start({ send: undefined })
  reporter.report(refusal())
  expect(await counts()).toEqual({ not_delivered: 1 })
})

it('loses and repeats nothing while the directory takes longer than a round for each call', async () => {
  const stored: (string | undefined)[] = []
  const send: SendRefusals = async (events) => {
    await new Promise((resolve) => setTimeout(resolve, 3_500))
    stored.push(...events.map((event) => event.refusal.requestId))
  }
  const { reporter, counts } = start({ send })
  const requestIds = Array.from({ length: 40 }, (_, n) => `r${n}`)
  for (const requestId of requestIds) {
    reporter.report(refusal({ requestId, clientId: requestId }))
    await vi.advanceTimersByTimeAsync(300)
  }
  await vi.advanceTimersByTimeAsync(10_000)
  expect(stored).toEqual(requestIds)
  expect(await counts()).toEqual({ delivered: 40 })
})
