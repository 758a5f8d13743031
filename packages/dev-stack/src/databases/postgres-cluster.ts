import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartFailure } from '@signet/platform/process/service'
import { POSTGRES_MAJOR } from './postgres-binaries.ts'
import type { PostgresLocation } from './postgres-location.ts'
import { runCommand } from './run-command.ts'

export const SUPERUSER = 'postgres'

/** PostgreSQL needs nothing of our environment, and our secrets are none of its business. */
export const POSTGRES_ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/bin:/usr/bin:/bin' }

/**
 * Makes the cluster unless there is one. It is made aside and renamed, so a kill in between leaves nothing that
 * looks finished. Throws StartFailure when the existing one belongs to another major version.
 */
export async function ensureCluster(
  { native, cluster, runAs }: PostgresLocation,
  password: { reveal(): string },
  durable: boolean,
): Promise<void> {
  const version = (await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => '')).trim()
  if (version === POSTGRES_MAJOR) return
  if (version !== '') {
    throw new StartFailure(
      `${cluster} was made by PostgreSQL ${version}, this is ${POSTGRES_MAJOR}; export with the old version and start with an empty data directory`,
    )
  }
  const unfinished = `${cluster}.new`
  const passwordFile = `${cluster}.password.new`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { mode: 0o700 })
  await writeFile(passwordFile, password.reveal(), { mode: 0o600 })
  try {
    if (runAs !== undefined) {
      await chown(unfinished, runAs.uid, runAs.gid)
      await chown(passwordFile, runAs.uid, runAs.gid)
    }
    const args = [
      ...['--pgdata', unfinished, '--username', SUPERUSER, '--pwfile', passwordFile],
      ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale-provider', 'builtin'],
      ...['--builtin-locale', 'C.UTF-8', '--locale', 'C', '--no-instructions'],
      ...(durable ? [] : ['--no-sync']),
    ]
    const initdb = join(native, 'bin', 'initdb')
    const result = await runCommand(initdb, args, { env: POSTGRES_ENVIRONMENT, ...(runAs && { runAs }) })
    if (result.code !== 0)
      throw new StartFailure(`a new PostgreSQL database could not be made: ${result.output}`)
  } finally {
    await rm(passwordFile, { force: true })
  }
  await rename(unfinished, cluster)
}
