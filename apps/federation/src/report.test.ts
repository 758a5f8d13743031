import { silentLogger } from '@signet/platform/logger/logger'
import { createMetrics } from '@signet/platform/metrics/metrics'
import { createFakeClock } from '@signet/testing/fake-clock'
import { expect, it } from 'vitest'
import { Refused } from './conversation/refusal.ts'
import type { Step } from './grpc.ts'
import { createReport } from './report.ts'

function watch() {
  const metrics = createMetrics()
  const report = createReport(silentLogger, metrics, createFakeClock().now)
  const often = (step: Step, refused: Refused | undefined) => {
    for (let time = 0; time < 5; time += 1) report(step, 'corp', refused)
  }
  const refusing = async () =>
    Number(/^signet_upstream_providers_refusing (\d+)$/m.exec(await metrics.text())?.[1])
  return { report, often, refusing }
}

it.each<[Step, Refused]>([
  ['begin', new Refused('provider_away', { temporary: true })],
  ['complete', new Refused('token_refused', { received: 'invalid_client' })],
  ['complete', new Refused('token_refused', { received: 401 })],
  ['complete', new Refused('token_refused', { received: 'incorrect_client_credentials' })],
  ['complete', new Refused('signature_invalid')],
  ['find', new Refused('own_bind_refused', { received: 49 })],
  ['password', new Refused('subject_missing')],
])('counts a provider whose step %s is refused five times', async (step, refused) => {
  const { often, refusing } = watch()
  often(step, refused)
  expect(await refusing()).toBe(1)
})

it.each<[Step, Refused]>([
  ['complete', new Refused('token_refused', { received: 'invalid_grant' })],
  ['complete', new Refused('token_refused', { received: 'invalid_request' })],
  ['complete', new Refused('token_refused', { received: 400 })],
  ['complete', new Refused('request_unknown')],
  ['complete', new Refused('signature_invalid', { isUnproven: true })],
  ['begin', new Refused('too_many_requests', { temporary: true })],
  ['complete', new Refused('too_many_under_way', { temporary: true })],
  ['complete', new Refused('upstream_error', { declined: true })],
  ['password', new Refused('password_wrong', { isCredential: true })],
  ['begin_test', new Refused('provider_away')],
  ['logout', new Refused('signature_invalid')],
])('counts no provider for what a person or a caller does at the step %s: %s', async (step, refused) => {
  const { often, refusing } = watch()
  often(step, refused)
  expect(await refusing()).toBe(0)
})

it('counts a directory whose search finds people that it signs in no more', async () => {
  const { report, often, refusing } = watch()
  for (let time = 0; time < 5; time += 1) {
    report('find', 'corp', undefined)
    report('password', 'corp', new Refused('search_refused', { received: 50 }))
  }
  expect(await refusing()).toBe(1)
  often('password', undefined)
  expect(await refusing()).toBe(0)
})
