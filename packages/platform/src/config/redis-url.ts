/** Address of Redis and its topology, as a connection URL says it. */
export interface RedisAddress {
  /** `single`: one server; `sentinel`: the primary that sentinels name; `cluster`: many primaries. */
  readonly layout: 'single' | 'sentinel' | 'cluster'
  readonly tls: boolean
  /** The server, the sentinels, or some nodes of the cluster to begin with. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[]
  readonly username?: string
  readonly password?: string
  /** Numbered database; a cluster has only 0. */
  readonly database: number
  /** Name under which the sentinels know the primary; only with layout `sentinel`. */
  readonly primaryName?: string
  readonly sentinelUsername?: string
  readonly sentinelPassword?: string
  /** PEM file of the authority that signs the certificates of the servers; the public ones when absent. */
  readonly caFile?: string
  /** PEM file of the certificate that the client presents, and of its private key; none when absent. */
  readonly certFile?: string
  readonly keyFile?: string
}

const LAYOUTS = new Map<string | undefined, RedisAddress['layout']>([
  [undefined, 'single'],
  ['sentinel', 'sentinel'],
  ['cluster', 'cluster'],
])
const DEFAULT_PORTS = { single: 6379, sentinel: 26379, cluster: 6379 }
// Not `new URL`: it refuses more than one host.
const SHAPE = /^redis(s?)(?:\+(\w+))?:\/\/(?:([^/@]*)@)?([^/?#@]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/

/**
 * Reads `redis://[user:password@]host[:port][/database]`, `redis+sentinel://…@host:port,host:port/primary[/database]`
 * and `redis+cluster://…@host:port,host:port`; with `rediss` for TLS, and then `?ca=` with a PEM file, and `cert=` and `key=` with those of the client. Undefined for
 * anything else.
 */
export function readRedisUrl(url: string): RedisAddress | undefined {
  const [, s, layoutName, userInfo, hostList = '', path = '', query = ''] = SHAPE.exec(url) ?? []
  const layout = LAYOUTS.get(layoutName)
  if (layout === undefined || hostList === '') return undefined
  const hosts = hostList.split(',').map((host) => readHost(host, DEFAULT_PORTS[layout]))
  const place = readPath(layout, path)
  const credentials = readUserInfo(userInfo)
  const parameters = readQuery(layout, s === 's', query)
  if (place === undefined || credentials === undefined || parameters === undefined) return undefined
  if (!hosts.every((host) => host !== undefined) || (layout === 'single' && hosts.length > 1))
    return undefined
  return { layout, tls: s === 's', hosts, ...credentials, ...place, ...parameters }
}

function readHost(text: string, defaultPort: number) {
  const [, bracketed, name, port] =
    /^(?:\[([\da-fA-F:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text.trim()) ?? []
  const host = bracketed ?? name
  const number = Number(port ?? defaultPort)
  return host === undefined || number < 1 || number > 65_535 ? undefined : { host, port: number }
}

function readPath(layout: RedisAddress['layout'], path: string) {
  const parts = path === '' ? [] : path.split('/')
  const primaryName = layout === 'sentinel' ? decoded(parts.shift() ?? '') : undefined
  const [database = '0', ...rest] = parts
  if (rest.length > 0 || !/^\d{1,4}$/.test(database)) return undefined
  if (layout === 'cluster' && Number(database) !== 0) return undefined
  if (layout !== 'sentinel') return { database: Number(database) }
  return primaryName ? { database: Number(database), primaryName } : undefined
}

/** `user:password` or `:password`. Without a colon it could be either, so it is refused. */
function readUserInfo(userInfo: string | undefined) {
  if (userInfo === undefined) return {}
  const colon = userInfo.indexOf(':')
  if (colon < 0) return undefined
  const username = decoded(userInfo.slice(0, colon))
  const password = decoded(userInfo.slice(colon + 1))
  if (username === undefined || password === undefined) return undefined
  return { ...(username !== '' && { username }), ...(password !== '' && { password }) }
}

function readQuery(layout: RedisAddress['layout'], tls: boolean, query: string) {
  const parameters = new URLSearchParams(query)
  const known = [
    ...(layout === 'sentinel' ? ['sentinelUsername', 'sentinelPassword'] : []),
    ...(tls ? ['ca', 'cert', 'key'] : []),
  ]
  if ([...parameters.keys()].some((name) => !known.includes(name))) return undefined
  const sentinelUsername = parameters.get('sentinelUsername')
  const sentinelPassword = parameters.get('sentinelPassword')
  const caFile = parameters.get('ca')
  const certFile = parameters.get('cert')
  const keyFile = parameters.get('key')
  if ((certFile ?? '') === '' ? keyFile : !keyFile) return undefined
  return {
    ...(sentinelUsername && { sentinelUsername }),
    ...(sentinelPassword && { sentinelPassword }),
    ...(caFile && { caFile }),
    ...(certFile && keyFile && { certFile, keyFile }),
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
