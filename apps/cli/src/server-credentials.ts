// Commands that create the credentials of servers: certificates for gRPC, and the rules of Redis users.

import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  DEFAULT_TRUST_PREFIX,
  makeCertificates,
  writeCertificates,
} from '@signet/grpc/certificates/make-certificates'
import { trustPrefix } from '@signet/platform/config/settings-fields'
import {
  REDIS_SERVICES,
  type RedisService,
  redisUserName,
  redisUserRules,
} from '@signet/platform/redis/users'
import type { AddCommand, CommandContext } from './context.ts'
import { UsageError } from './exit-codes.ts'

/** `certs init` makes the files that SIGNET_RPC_CA, SIGNET_RPC_CERT and SIGNET_RPC_KEY of every service name. */
export function addCertsCommand(add: AddCommand, { now, say }: CommandContext): void {
  add('certs init')
    .description(
      'makes an authority and one certificate with its key for each service, for gRPC between them',
    )
    .option('--out <dir>', 'the folder for the certificates (required)')
    .option('--days <number>', 'how long they are valid', '365')
    .option(
      '--trust-prefix <uri>',
      'begin of the URIs in them; the services need it as SIGNET_RPC_TRUST_PREFIX',
      DEFAULT_TRUST_PREFIX,
    )
    .action(async ({ out, days, trustPrefix: prefix }) => {
      if (out === undefined || out === '') throw new UsageError('--out: name the folder for the certificates')
      if (!/^[1-9]\d{0,3}$/.test(days)) throw new UsageError('--days: must be a whole number from 1 to 9999')
      const { data, error } = trustPrefix.safeParse(prefix)
      if (error) throw new UsageError(`--trust-prefix: ${error.issues[0]?.message}`)
      const folder = resolve(out)
      const certificates = await makeCertificates({ now: now(), days: Number(days), trustPrefix: data })
      const files = await writeCertificates(folder, certificates)
      say(`${files.length} files in ${folder}, valid for ${days} days`)
    })
}

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
