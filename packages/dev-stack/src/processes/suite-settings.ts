import { join } from 'node:path'
import type { Secret } from '@signet/platform/config/settings-fields'
import type { DatabaseRole } from '@signet/platform/postgres/roles'
import { SERVICE_NAMES, type ServiceName } from '@signet/platform/process/service'
import { REDIS_SERVICES, type RedisService, redisUserName } from '@signet/platform/redis/users'
import type { ServicePorts } from './service-ports.ts'

/** The settings that all processes share. */
export interface Surroundings {
  readonly issuer: string
  /** URL of a role that may create roles and schemas. Services connect to the same database as their own roles. */
  readonly postgresAdminUrl: Secret
  readonly redisUrl: Secret
  /** Passwords of the ACL users in Redis. Without them all services use `redisUrl` unchanged. */
  readonly redisPasswords?: Readonly<Record<RedisService, Secret>>
  readonly rolePasswords: Readonly<Record<DatabaseRole, Secret>>
  /**
   * A folder with the password of each database role in a file named after the service, and the password of Redis in `redis`.
   * If it is set, the processes read passwords there, and `rolePasswords` are not used.
   */
  readonly passwordsFolder?: string
  readonly keysMasterKeys: Secret<readonly Buffer[]>
  readonly directoryMasterKeys: Secret<readonly Buffer[]>
  readonly migrationMasterKeys: Secret<readonly Buffer[]>
  readonly loginMasterKeys: Secret<readonly Buffer[]>
  readonly federationMasterKeys: Secret<readonly Buffer[]>
  /** A folder with `ca.crt`, and `<name>.crt` and `<name>.key` for each service. */
  readonly certificatesFolder: string
  /** The files of ports that ask clients for certificates; no such port when left out. */
  readonly mutualTls?: { readonly origin: string; readonly certificate: string; readonly privateKey: string }
  /** More settings for every service. */
  readonly settings?: Readonly<Record<string, string>>
}

const HOST = '127.0.0.1'

/** The settings of one replica, which contain only the secrets of its service. */
export function serviceSettings(
  service: ServiceName,
  own: ServicePorts,
  places: Readonly<Record<ServiceName, readonly ServicePorts[]>>,
  surroundings: Surroundings,
): Record<string, string> {
  const { issuer, certificatesFolder: folder, passwordsFolder, mutualTls, settings } = surroundings
  const addressOf = (callee: ServiceName) => places[callee].map(({ rpc }) => `${HOST}:${rpc}`).join(',')
  const transferAddress = places.directory.map(({ transfer }) => `${HOST}:${transfer}`).join(',')
  return {
    SIGNET_ISSUER: issuer,
    SIGNET_TRUSTED_PROXIES: HOST,
    SIGNET_BIND_HOST: HOST,
    SIGNET_HTTP_PORT: `${own.http}`,
    SIGNET_RPC_PORT: `${own.rpc}`,
    SIGNET_RPC_TRANSFER_PORT: `${own.transfer}`,
    SIGNET_OPERATIONS_PORT: `${own.operations}`,
    SIGNET_POSTGRES_URL: roleUrl(surroundings, `signet_${service}`),
    SIGNET_REDIS_URL: redisUrlOf(service, surroundings),
    ...(passwordsFolder !== undefined && {
      SIGNET_POSTGRES_PASSWORD_FILE: join(passwordsFolder, service),
      SIGNET_REDIS_PASSWORD_FILE: join(passwordsFolder, 'redis'),
    }),
    SIGNET_RPC_DIRECTORY_ADDRESS: addressOf('directory'),
    SIGNET_RPC_TRANSFER_ADDRESS: transferAddress,
    SIGNET_RPC_TOKEN_ADDRESS: addressOf('token'),
    SIGNET_RPC_KEYS_ADDRESS: addressOf('keys'),
    SIGNET_RPC_LOGIN_ADDRESS: addressOf('login'),
    SIGNET_RPC_FEDERATION_ADDRESS: addressOf('federation'),
    SIGNET_RPC_CA: join(folder, 'ca.crt'),
    SIGNET_RPC_CERT: join(folder, `${service}.crt`),
    SIGNET_RPC_KEY: join(folder, `${service}.key`),
    ...(service === 'keys' && { SIGNET_KEYS_MASTER_KEY: listed(surroundings.keysMasterKeys) }),
    ...(service === 'directory' && { SIGNET_DIRECTORY_MASTER_KEY: listed(surroundings.directoryMasterKeys) }),
    ...(service === 'login' && { SIGNET_LOGIN_MASTER_KEY: listed(surroundings.loginMasterKeys) }),
    ...(service === 'migration' && { SIGNET_MIGRATION_MASTER_KEY: listed(surroundings.migrationMasterKeys) }),
    ...(service === 'federation' && {
      SIGNET_FEDERATION_MASTER_KEY: listed(surroundings.federationMasterKeys),
    }),
    ...(mutualTls && {
      SIGNET_MTLS_ORIGIN: mutualTls.origin,
      SIGNET_MTLS_PORT: `${own.mutualTls}`,
      SIGNET_MTLS_CERT: mutualTls.certificate,
      SIGNET_MTLS_KEY: mutualTls.privateKey,
    }),
    ...settings,
  }
}

/** The settings of `apps/migrate`. */
export function migrateSettings(surroundings: Surroundings, bootstrapFile?: string): Record<string, string> {
  const { postgresAdminUrl, rolePasswords, passwordsFolder, directoryMasterKeys, settings } = surroundings
  const passwords = SERVICE_NAMES.map((name) => {
    const setting = `SIGNET_POSTGRES_${name.toUpperCase()}_PASSWORD`
    return passwordsFolder === undefined
      ? [setting, rolePasswords[`signet_${name}`].reveal()]
      : [`${setting}_FILE`, join(passwordsFolder, name)]
  })
  return {
    SIGNET_POSTGRES_URL: postgresAdminUrl.reveal(),
    SIGNET_DIRECTORY_MASTER_KEY: listed(directoryMasterKeys),
    ...Object.fromEntries(passwords),
    ...(bootstrapFile !== undefined && { SIGNET_BOOTSTRAP_FILE: bootstrapFile }),
    ...settings,
  }
}

function roleUrl(
  { postgresAdminUrl, rolePasswords, passwordsFolder }: Surroundings,
  role: DatabaseRole,
): string {
  const url = new URL(postgresAdminUrl.reveal())
  url.username = role
  url.password = passwordsFolder === undefined ? rolePasswords[role].reveal() : ''
  return url.href
}

function redisUrlOf(service: ServiceName, { redisUrl, redisPasswords }: Surroundings): string {
  const user = REDIS_SERVICES.find((name) => name === service)
  if (redisPasswords === undefined || user === undefined) return redisUrl.reveal()
  const url = new URL(redisUrl.reveal())
  url.username = redisUserName(user)
  url.password = redisPasswords[user].reveal()
  return url.href
}

function listed(masterKeys: Secret<readonly Buffer[]>): string {
  return masterKeys
    .reveal()
    .map((key) => key.toString('base64url'))
    .join(',')
}
