import { isLoopbackHost } from '@signet/protocol/redirect-uri'
import type { Logger } from '../logger/logger.ts'
import type { ServiceName } from '../process/service.ts'
import { readRedisUrl } from './redis-url.ts'

/** `no_tls`: others in the network can read and change the connection; `shared_user`: other services use the same user. */
export type MissingProtection = 'no_tls' | 'shared_user'

/**
 * The protections that a service's connection to Redis or PostgreSQL lacks; none on loopback, and none for an address that
 * cannot be read, which the connection itself refuses.
 */
export function missingProtections(url: string, service: ServiceName): readonly MissingProtection[] {
  return /^rediss?[+:]/.test(url) ? ofRedis(url, service) : ofPostgres(url)
}

/** Logs `connection_not_protected` once if the connection lacks a protection. */
export function warnIfUnprotected(
  logger: Logger,
  {
    url,
    service,
    dependency,
  }: { url: string; service: ServiceName; dependency: 'database' | 'redis' | 'queue' },
): void {
  const missing = missingProtections(url, service)
  if (missing.length > 0) logger.warn('connection_not_protected', { dependency, reason: missing })
}

function ofRedis(url: string, service: ServiceName): readonly MissingProtection[] {
  const address = readRedisUrl(url)
  if (address === undefined || address.hosts.every(({ host }) => isLocalHost(host))) return []
  const hasOwnUser = address.username === `signet_${service}`
  return [...(address.tls ? [] : ['no_tls' as const]), ...(hasOwnUser ? [] : ['shared_user' as const])]
}

function ofPostgres(url: string): readonly MissingProtection[] {
  if (!URL.canParse(url)) return []
  const { hostname, searchParams } = new URL(url)
  const mode = searchParams.get('sslmode') ?? 'disable'
  // A path in `host` is a socket of this machine.
  const isLocal = isLocalHost(hostname) || searchParams.get('host')?.startsWith('/') === true
  return isLocal || !['disable', 'allow', 'prefer'].includes(mode) ? [] : ['no_tls']
}

const isLocalHost = (host: string) => isLoopbackHost(host === '::1' ? '[::1]' : host)
