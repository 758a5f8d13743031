import type { Metrics } from '@signet/platform/metrics/metrics'
import type { Clock } from '@signet/platform/runtime/clock'
import { nextTransition } from './key-life.ts'
import type { KeyRings, RingKey } from './key-rings.ts'

interface Dependencies {
  readonly rings: Pick<KeyRings, 'current'>
  readonly now: Clock
}

/** Registers how old the active key of each line is, and when something happens to it next. */
export function registerKeyMetrics(metrics: Metrics, { rings, now }: Dependencies): void {
  const ofActiveKeys = (valueMs: (key: RingKey) => number) => () =>
    rings.current.keys
      .filter(({ state }) => state === 'active')
      .map((key) => ({
        labels: { ring: key.ring, algorithm: key.algorithm },
        value: valueMs(key) / 1_000,
      }))
  const labels = ['ring', 'algorithm'] as const
  metrics.gauge(
    { name: 'signet_key_active_age_seconds', help: 'For how long the active key has been in use.', labels },
    ofActiveKeys(({ activeAt }) => now().getTime() - activeAt.getTime()),
  )
  metrics.gauge(
    {
      name: 'signet_key_next_switch_seconds',
      help: 'Time until the next key takes over; negative when nobody was there to let it.',
      labels,
    },
    ofActiveKeys((key) => nextTransition(key).at.getTime() - now().getTime()),
  )
}
