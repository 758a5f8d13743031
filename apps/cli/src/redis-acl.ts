import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  REDIS_SERVICES,
  type RedisService,
  redisUserName,
  redisUserRules,
} from '@signet/platform/redis/users'
import type { AddCommand, CommandContext } from './context.ts'
import { UsageError } from './exit-codes.ts'

/** `redis-acl` prints one line for each Redis user of Signet, as ACL SETUSER and the file of `aclfile` take it. */
export function addRedisAclCommand(add: AddCommand, { say }: CommandContext): void {
  add('redis-acl')
    .description('prints the ACL rules of the Redis user of each service, for Redis 7.0 or later')
    .option('--passwords <dir>', 'a folder with the password of each user in a file of the service')
    .option('--acl-file', 'lines for the file of aclfile instead of commands')
    .action(({ passwords, aclFile }) => {
      for (const service of REDIS_SERVICES) {
        const password = passwords === undefined ? undefined : readPassword(passwords, service)
        const rules = redisUserRules(service, password).filter((rule) => !aclFile || rule !== 'reset')
        const line = `${redisUserName(service)} ${rules.join(' ')}`
        say(aclFile ? `user ${line}` : `ACL SETUSER ${line}`)
      }
    })
}

function readPassword(folder: string, service: RedisService): string {
  const file = join(folder, service)
  let password: string
  try {
    password = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`--passwords: cannot read ${file} (${code}); write the password of ${service} to it`)
  }
  if (password === '') throw new UsageError(`--passwords: ${file} is empty; write the password to it`)
  return password
}
