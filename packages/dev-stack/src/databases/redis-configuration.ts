import { isAbsolute } from 'node:path'

export interface RedisSettings {
  readonly port: number
  readonly directory: string
  readonly password: { reveal(): string }
}

/**
 * The configuration of the private server. It goes into a file because arguments are visible to everyone who
 * may list processes. `noeviction`: an evicted revocation would make a dead token live again.
 */
export function redisConfiguration({ port, directory, password }: RedisSettings): string {
  if (!isAbsolute(directory)) throw new RangeError(`the Redis directory ${directory} is not an absolute path`)
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password.reveal()}`,
    `dir ${JSON.stringify(directory)}`,
    'daemonize no',
    'databases 256',
    'maxmemory-policy noeviction',
    'appendonly yes',
    'save ""',
    '',
  ].join('\n')
}
