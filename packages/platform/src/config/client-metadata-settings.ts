import { ConfigurationError } from './settings.ts'

/** Clients that no organization registered, and whose client_id is the URL of their document. */
export interface ClientMetadata {
  /** The project that their applications belong to. */
  readonly projectId: string
  /** Hosts of documents. */
  readonly hosts: ClientHosts
}

/** Each is a host, or `*.` and the domain that it is below. */
interface ClientHosts {
  /** Empty: every host that is not refused. */
  readonly allowed: readonly string[]
  readonly refused: readonly string[]
}

export const CLIENT_METADATA_SETTINGS = [
  'SIGNET_CLIENT_ID_METADATA_PROJECT',
  'SIGNET_CLIENT_ID_METADATA_HOSTS',
] as const

interface Settings {
  readonly SIGNET_CLIENT_ID_METADATA_PROJECT?: string | undefined
  readonly SIGNET_CLIENT_ID_METADATA_HOSTS?: readonly string[] | undefined
}

/** Undefined: there are no such clients. Throws ConfigurationError for hosts without a project. */
export function clientMetadata({
  SIGNET_CLIENT_ID_METADATA_PROJECT: projectId,
  SIGNET_CLIENT_ID_METADATA_HOSTS: hosts = [],
}: Settings): ClientMetadata | undefined {
  if (projectId === undefined) {
    if (hosts.length === 0) return undefined
    throw new ConfigurationError([
      'SIGNET_CLIENT_ID_METADATA_HOSTS: needs SIGNET_CLIENT_ID_METADATA_PROJECT, without which no such client signs anyone in',
    ])
  }
  return {
    projectId,
    hosts: {
      allowed: hosts.filter((host) => !host.startsWith('!')),
      refused: hosts.filter((host) => host.startsWith('!')).map((host) => host.slice(1)),
    },
  }
}

/** Whether the document of a client may be at a host, given without its port. */
export function isClientHost(host: string, { allowed, refused }: ClientHosts): boolean {
  const matches = (pattern: string) =>
    pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern
  return !refused.some(matches) && (allowed.length === 0 || allowed.some(matches))
}
