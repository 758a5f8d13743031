import { createMetrics } from '@signet/platform/metrics/metrics'
import { TemporarilyUnavailableError } from '@signet/protocol/errors'
import { expect, it } from 'vitest'
import { createSignInMeasure } from './measure-sign-ins.ts'

it('counts attempts by factor and outcome, and none without a pending sign-in', async () => {
  const metrics = createMetrics()
  const measured = createSignInMeasure(metrics)
  for (const kind of ['refused', 'forbidden', 'signed-in', 'next-step'] as const) {
    await measured('password', async () => ({ kind }))()
  }
  await measured('password', async () => ({ kind: 'throttled', by: 'account' }) as const)()
  await measured('code', async () => ({ kind: 'throttled', by: 'network' }) as const)()
  await measured('code', async () => ({ kind: 'password-first' }) as const)()
  const away = measured('code', () =>
    Promise.reject(new TemporarilyUnavailableError('later', { reason: 'x' })),
  )
  await expect(away()).rejects.toThrow('later')
  const expired = measured('code', () => Promise.reject(new Error('no such request')))
  await expect(expired()).rejects.toThrow('no such request')
  const text = await metrics.text()
  const series = [
    ...text.matchAll(/^signet_sign_in_attempts_total\{factor="(\w+)",outcome="(\w+)"\} (\d)$/gm),
  ]
  expect(series.map(([, ...values]) => values.join(' '))).toEqual([
    'password refused 1',
    'password forbidden 1',
    'password accepted 2',
    'password throttled_account 1',
    'code throttled_network 1',
    'code unavailable 1',
  ])
})
