import { StartFailure } from '@signet/platform/process/service'
import type { RunAs } from './guarded-process.ts'
import { runCommand } from './run-command.ts'

const USER = 'postgres'

/**
 * PostgreSQL refuses to run as root. Returns the system user to run it as, created when missing; undefined
 * when this process is not root.
 */
export async function postgresSystemUser(): Promise<RunAs | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const known = await lookUp()
  if (known !== undefined) return known
  await createUser()
  const created = await lookUp()
  if (created === undefined) {
    throw new StartFailure(
      `PostgreSQL does not run as root and the system user "${USER}" could not be made; run as another user or add it`,
    )
  }
  return created
}

/** Whether that user can enter every folder on the way to each of `paths`, and run or enter that itself. */
export async function reachableBy(user: RunAs, paths: readonly string[]): Promise<boolean> {
  const script = 'for path; do [ -x "$path" ] || exit 1; done'
  return (await runCommand('/bin/sh', ['-c', script, 'sh', ...paths], { runAs: user })).code === 0
}

async function lookUp(): Promise<RunAs | undefined> {
  const [uid, gid] = await Promise.all([runCommand('id', ['-u', USER]), runCommand('id', ['-g', USER])])
  if (uid.code !== 0 || gid.code !== 0) return undefined
  return { uid: Number(uid.output), gid: Number(gid.output) }
}

async function createUser(): Promise<void> {
  const useradd = await runCommand('useradd', [
    '--system',
    '--user-group',
    '--no-create-home',
    '--shell',
    '/bin/sh',
    USER,
  ])
  if (useradd.code !== 0) await runCommand('adduser', ['-S', '-D', '-H', USER])
}
