import type { SETTINGS } from './known-settings.ts'
import { ConfigurationError, type Environment, readSettings } from './settings.ts'

type Name = 'SIGNET_POSTGRES_URL' | 'SIGNET_REDIS_URL' | 'SIGNET_QUEUE_REDIS_URL'

/** The settings of passwords that do not stand in the address: that of the server and that of its sentinels. */
const PASSWORDS = {
  SIGNET_POSTGRES_URL: ['SIGNET_POSTGRES_PASSWORD'],
  SIGNET_REDIS_URL: ['SIGNET_REDIS_PASSWORD', 'SIGNET_REDIS_SENTINEL_PASSWORD'],
  SIGNET_QUEUE_REDIS_URL: ['SIGNET_QUEUE_REDIS_PASSWORD', 'SIGNET_QUEUE_REDIS_SENTINEL_PASSWORD'],
} as const satisfies Record<Name, readonly [keyof typeof SETTINGS, (keyof typeof SETTINGS)?]>

/**
 * The address of a database with its passwords, read again at each `reveal`, so that a change of the files that
 * `<NAME>_FILE` names is noticed. While a file cannot be used, its last content counts. Throws a `ConfigurationError` as
 * `readSettings` does, and for a password that is empty, given twice or of no use; now only.
 */
export function watchedUrl(env: Environment, name: Name): { reveal(): string } {
  let last = read(env, name)
  return {
    reveal() {
      try {
        last = read(env, name)
      } catch {
        // The file is being replaced.
      }
      return last
    },
  }
}

function read(env: Environment, name: Name): string {
  const [passwordName, sentinelName] = PASSWORDS[name]
  const names = sentinelName === undefined ? [passwordName] : [passwordName, sentinelName]
  const settings = readSettings<Name, (typeof names)[number]>(env, [name], names)
  for (const empty of names) {
    if (settings[empty] !== undefined || !env[`${empty}_FILE`]) continue
    throw new ConfigurationError([`${empty}: the file that ${empty}_FILE names is empty`])
  }
  const { [name]: address, [passwordName]: password } = settings
  if (address === undefined) throw new ConfigurationError([`${name}: is required`])
  const url = password === undefined ? address.reveal() : withPassword(address.reveal(), password.reveal())
  if (url === undefined) {
    throw new ConfigurationError([`${passwordName}: the password stands in ${name} too; keep one`])
  }
  const sentinel = sentinelName && settings[sentinelName]
  if (sentinel === undefined) return url
  if (!/^rediss?\+sentinel:/.test(url) || /[?&]sentinelPassword=/.test(url)) {
    throw new ConfigurationError([
      `${sentinelName}: needs a redis+sentinel:// address without a sentinelPassword in ${name}`,
    ])
  }
  return `${url}${url.includes('?') ? '&' : '?'}sentinelPassword=${encodeURIComponent(sentinel.reveal())}`
}

/** Not with `new URL`: an address of Redis may have several hosts. Undefined when there is a password already. */
function withPassword(url: string, password: string): string | undefined {
  const [, scheme = '', userInfo = '', rest = ''] = /^([^:]+:\/\/)(?:([^/?#@]*)@)?(.*)$/s.exec(url) ?? []
  const [user = '', own = ''] = userInfo.split(':')
  return own === '' ? `${scheme}${user}:${encodeURIComponent(password)}@${rest}` : undefined
}
