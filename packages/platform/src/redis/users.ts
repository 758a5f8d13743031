import { createHash } from 'node:crypto'
import { REPLAY_KINDS, type ReplayKind } from './replay-guard.ts'

/** The services that use Redis. Each connects as the ACL user `signet_<service>`. */
export const REDIS_SERVICES = ['login', 'token', 'introspection', 'migration'] as const

export type RedisService = (typeof REDIS_SERVICES)[number]

interface RedisPermissions {
  /** Key patterns of the ACL; `%R~` allows reading only. */
  readonly keys: readonly string[]
  /** Commands beside those of every connection. Commands inside a script count as well. */
  readonly commands: readonly string[]
}

/** The commands that `createRedis` sends on each connection, in every layout. AUTH and HELLO need no permission. */
const CONNECTION_COMMANDS = [
  ...['ping', 'info', 'select', 'client|setname'],
  ...['cluster|slots', 'cluster|info', 'asking', 'readonly'],
]

const LOG_READER = { key: '%R~signet:endings', commands: ['xrange', 'xrevrange'] }

/** Records of used assertions and proofs (`replay-guard.ts`), which services share. */
const REPLAY_COMMANDS = ['get', 'set']
const replayKey = (kind: ReplayKind) => `~signet:replay:${kind}:*`

const PERMISSIONS: Readonly<Record<RedisService, RedisPermissions>> = {
  login: {
    keys: ['~signet:login:*', ...REPLAY_KINDS.map(replayKey), LOG_READER.key],
    commands: [
      ...['get', 'set', 'getdel', 'del', 'eval', 'evalsha', 'ttl', 'expire', 'expireat', 'time'],
      ...['hgetall', 'hset', 'hdel', 'hincrby'],
      ...['zadd', 'zrange', 'zrevrange', 'zrem', 'zremrangebyscore', 'zremrangebyrank'],
      ...LOG_READER.commands,
    ],
  },
  token: {
    keys: ['~signet:token:*', ...REPLAY_KINDS.map(replayKey), '~signet:endings'],
    commands: [
      ...[...REPLAY_COMMANDS, 'del', 'eval', 'evalsha', 'time', 'xadd', 'xtrim', ...LOG_READER.commands],
      ...['hset', 'hmget', 'expire'],
    ],
  },
  introspection: {
    keys: [replayKey('dpop-proof'), LOG_READER.key],
    commands: [...REPLAY_COMMANDS, ...LOG_READER.commands],
  },
  migration: {
    // The prefix of the queue; BullMQ runs scripts on every type of value below it.
    keys: ['~{signet-mig}:*'],
    commands: [
      ...[
        'eval',
        'evalsha',
        'multi',
        'exec',
        'bzpopmin',
        'time',
        'type',
        'exists',
        'del',
        'unlink',
        'rename',
      ],
      ...['get', 'set', 'incr', 'incrby', 'persist', 'pexpire', 'pexpireat', 'pttl'],
      ...['hget', 'hset', 'hdel', 'hexists', 'hgetall', 'hincrby', 'hlen', 'hmget', 'hmset'],
      ...['lindex', 'llen', 'lpop', 'lpos', 'lpush', 'lrange', 'lrem', 'lset', 'ltrim'],
      ...['rpop', 'rpoplpush', 'rpush', 'sadd', 'scard', 'sismember', 'smembers', 'srem'],
      ...['xadd', 'xdel', 'xlen', 'xrange', 'xread', 'xtrim'],
      ...[
        'zadd',
        'zcard',
        'zcount',
        'zlexcount',
        'zpopmin',
        'zrange',
        'zrangebylex',
        'zrangebyscore',
        'zrem',
      ],
      ...['zremrangebyrank', 'zremrangebyscore', 'zrevrange', 'zrevrangebyscore', 'zscore'],
    ],
  },
}

/** The name of the service's user in the ACL of Redis. */
export function redisUserName(service: RedisService): string {
  return `signet_${service}`
}

/**
 * The rules of the service's user for ACL SETUSER of Redis 7.0 or later, one rule in each entry; they replace all earlier
 * ones. Without a password no connection can use the user.
 */
export function redisUserRules(service: RedisService, password?: string): readonly string[] {
  const { keys, commands } = PERMISSIONS[service]
  return [
    'reset',
    'on',
    ...(password === undefined ? [] : [`#${createHash('sha256').update(password).digest('hex')}`]),
    ...keys,
    ...[...CONNECTION_COMMANDS, ...commands].map((command) => `+${command}`),
  ]
}
