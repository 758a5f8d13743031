import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Environment, readSettings } from '@signet/platform/config/settings'
import type { Secret } from '@signet/platform/config/settings-fields'
import { StartFailure } from '@signet/platform/process/service'

export interface DevConfig {
  readonly port: number
  readonly issuer: string
  readonly dataDirectory: string
  /** Absent: the shipped sample. */
  readonly bootstrapFile?: string
  /** Absent: an embedded server under the data directory. */
  readonly postgresUrl?: Secret
  readonly redisUrl?: Secret
  readonly replicas: number
  readonly logLevel: string
}

const MOST_REPLICAS = 9

/** Reads settings, all optional, and arguments. Throws ConfigurationError or StartFailure. */
export function readDevConfig(env: Environment, args: readonly string[]): DevConfig {
  const settings = readSettings(
    env,
    ['SIGNET_PORT', 'SIGNET_DATA_DIR', 'SIGNET_LOG_LEVEL'],
    ['SIGNET_BOOTSTRAP_FILE', 'SIGNET_POSTGRES_URL', 'SIGNET_REDIS_URL'],
  )
  return {
    port: settings.SIGNET_PORT,
    issuer: `http://localhost:${settings.SIGNET_PORT}`,
    dataDirectory: resolve(settings.SIGNET_DATA_DIR),
    replicas: readReplicas(args),
    logLevel: settings.SIGNET_LOG_LEVEL,
    ...(settings.SIGNET_BOOTSTRAP_FILE !== undefined && {
      bootstrapFile: resolve(settings.SIGNET_BOOTSTRAP_FILE),
    }),
    ...(settings.SIGNET_POSTGRES_URL !== undefined && { postgresUrl: settings.SIGNET_POSTGRES_URL }),
    ...(settings.SIGNET_REDIS_URL !== undefined && { redisUrl: settings.SIGNET_REDIS_URL }),
  }
}

function readReplicas(args: readonly string[]): number {
  try {
    const { replicas } = parseArgs({
      args: [...args],
      options: { replicas: { type: 'string', default: '1' } },
    }).values
    if (/^[1-9]$/.test(replicas)) return Number(replicas)
  } catch (error) {
    throw new StartFailure(error instanceof Error ? error.message : String(error), { cause: error })
  }
  throw new StartFailure(`--replicas: must be a whole number from 1 to ${MOST_REPLICAS}`)
}
