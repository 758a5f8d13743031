import type { Settings } from '@signet/platform/config/settings'
import type { RevocationReaderOptions } from './revocation-reader.ts'

/** The settings of a service that checks for revocations. */
export const REVOCATION_SETTINGS = [
  'SIGNET_REVOCATION_LOG',
  'SIGNET_REVOCATION_MIRROR',
  'SIGNET_REVOCATION_STALENESS_SECONDS',
  'SIGNET_REVOCATION_ENDINGS_MAX',
] as const

export interface RevocationConfig {
  /** False: PostgreSQL is queried for every check, for Redis servers that do not show their `run_id`. */
  readonly revocationLog: boolean
  /** Bounds as the options of the reader with these names. */
  readonly revocationBounds?:
    | Partial<Pick<RevocationReaderOptions, 'stalenessSeconds' | 'maxEndings' | 'redisSilenceMs'>>
    | undefined
}

/** The members of a service's configuration that these settings make; SIGNET_REVOCATION_MIRROR=off is still accepted. */
export function revocationConfig(settings: Settings<(typeof REVOCATION_SETTINGS)[number]>): RevocationConfig {
  return {
    revocationLog: settings.SIGNET_REVOCATION_LOG && settings.SIGNET_REVOCATION_MIRROR !== false,
    revocationBounds: {
      stalenessSeconds: settings.SIGNET_REVOCATION_STALENESS_SECONDS,
      maxEndings: settings.SIGNET_REVOCATION_ENDINGS_MAX,
    },
  }
}
