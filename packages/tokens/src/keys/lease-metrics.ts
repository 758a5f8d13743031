import type { Metrics } from '@signet/platform/metrics/metrics'
import type { SigningKey } from './sign-jws.ts'

interface LeaseMetrics {
  readonly countSignature: (key: Pick<SigningKey, 'kid' | 'alg'>) => void
}

/** Registers the numbers of a lease. `lagMs` answers the time since the last word from `keys`. */
export function createLeaseMetrics(metrics: Metrics | undefined, lagMs: () => number): LeaseMetrics {
  if (metrics === undefined) return { countSignature: () => undefined }
  const lag = {
    name: 'signet_key_lease_lag_seconds',
    help: 'Time since the last word from keys, of which one comes every ten seconds; +Inf before the first.',
    labels: [],
  } as const
  metrics.gauge(lag, () => [{ labels: {}, value: lagMs() / 1_000 }])
  const count = metrics.counter({
    name: 'signet_key_signatures_total',
    help: 'JWS that this process signed with each key.',
    labels: ['algorithm', 'kid'],
  })
  return { countSignature: ({ alg, kid }) => count({ algorithm: alg, kid }) }
}
