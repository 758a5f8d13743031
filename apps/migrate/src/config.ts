import {
  ConfigurationError,
  type Environment,
  readSettings,
  textOfSetting,
} from '@signet/platform/config/settings'
import type { Secret } from '@signet/platform/config/settings-fields'
import type { LogLevel } from '@signet/platform/logger/logger'
import type { RolePasswords } from '@signet/platform/postgres/roles'

export interface MigrateConfig {
  /** URL of a user who may create roles and schemas. */
  readonly adminUrl: Secret
  readonly passwords: RolePasswords
  readonly bootstrap?: { readonly file: string; readonly masterKeys: Secret<readonly Buffer[]> }
  readonly logLevel: LogLevel
}

const PASSWORD_SETTINGS = [
  'SIGNET_POSTGRES_LOGIN_PASSWORD',
  'SIGNET_POSTGRES_TOKEN_PASSWORD',
  'SIGNET_POSTGRES_INTROSPECTION_PASSWORD',
  'SIGNET_POSTGRES_KEYS_PASSWORD',
  'SIGNET_POSTGRES_DIRECTORY_PASSWORD',
  'SIGNET_POSTGRES_MIGRATION_PASSWORD',
  'SIGNET_POSTGRES_FEDERATION_PASSWORD',
] as const

/** Reads the settings of the migration. Throws ConfigurationError with every problem. */
export function readMigrateConfig(env: Environment): MigrateConfig {
  const passwords = rolePasswords(env)
  const settings = readSettings(
    env,
    ['SIGNET_LOG_LEVEL'],
    [
      'SIGNET_POSTGRES_URL',
      'SIGNET_POSTGRES_DIRECT_URL',
      'SIGNET_BOOTSTRAP_FILE',
      'SIGNET_DIRECTORY_MASTER_KEY',
    ],
  )
  return {
    adminUrl: adminUrl(settings.SIGNET_POSTGRES_DIRECT_URL ?? settings.SIGNET_POSTGRES_URL),
    passwords,
    logLevel: settings.SIGNET_LOG_LEVEL,
    ...bootstrapOf(settings.SIGNET_BOOTSTRAP_FILE, settings.SIGNET_DIRECTORY_MASTER_KEY),
  }
}

function rolePasswords(env: Environment): RolePasswords {
  const { SIGNET_POSTGRES_ROLE_AUTHENTICATION: authentication } = readSettings(env, [
    'SIGNET_POSTGRES_ROLE_AUTHENTICATION',
  ])
  if (authentication === 'certificate') {
    const given = PASSWORD_SETTINGS.filter((name) => textOfSetting(env, name) !== undefined)
    if (given.length === 0) return 'none'
    throw new ConfigurationError(
      given.map((name) => `${name}: is of no use with SIGNET_POSTGRES_ROLE_AUTHENTICATION=certificate`),
    )
  }
  const settings = readSettings(env, PASSWORD_SETTINGS)
  return {
    signet_login: settings.SIGNET_POSTGRES_LOGIN_PASSWORD,
    signet_token: settings.SIGNET_POSTGRES_TOKEN_PASSWORD,
    signet_introspection: settings.SIGNET_POSTGRES_INTROSPECTION_PASSWORD,
    signet_keys: settings.SIGNET_POSTGRES_KEYS_PASSWORD,
    signet_directory: settings.SIGNET_POSTGRES_DIRECTORY_PASSWORD,
    signet_migration: settings.SIGNET_POSTGRES_MIGRATION_PASSWORD,
    signet_federation: settings.SIGNET_POSTGRES_FEDERATION_PASSWORD,
  }
}

export interface RestoredConfig {
  /** URL of a user who is a member of the roles of the services. */
  readonly adminUrl: Secret
  /** URL of the Redis that has the revocation log. */
  readonly redisUrl?: Secret
}

/** Reads the settings of `restored`. Throws ConfigurationError with every problem. */
export function readRestoredConfig(env: Environment): RestoredConfig {
  const settings = readSettings(
    env,
    [],
    ['SIGNET_POSTGRES_URL', 'SIGNET_POSTGRES_DIRECT_URL', 'SIGNET_REDIS_URL'],
  )
  return {
    adminUrl: adminUrl(settings.SIGNET_POSTGRES_DIRECT_URL ?? settings.SIGNET_POSTGRES_URL),
    ...(settings.SIGNET_REDIS_URL !== undefined && { redisUrl: settings.SIGNET_REDIS_URL }),
  }
}

function adminUrl(url: Secret | undefined): Secret {
  if (url === undefined)
    throw new ConfigurationError(['SIGNET_POSTGRES_DIRECT_URL or SIGNET_POSTGRES_URL: is required'])
  return url
}

function bootstrapOf(file: string | undefined, masterKeys: Secret<readonly Buffer[]> | undefined) {
  if (file === undefined) return {}
  if (masterKeys === undefined) {
    throw new ConfigurationError(['SIGNET_DIRECTORY_MASTER_KEY: is required with SIGNET_BOOTSTRAP_FILE'])
  }
  return { bootstrap: { file, masterKeys } }
}
