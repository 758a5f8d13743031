import { createHash } from 'node:crypto'
import { access, chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { StartFailure } from '@signet/platform/process/service'
import { RELOCATION_POINTER, relocationOf } from './data-directory.ts'
import type { RunAs } from './guarded-process.ts'
import { stopOrphanedPostgres } from './orphaned-process.ts'
import { ensureLibraryLinks, postgresBinaries } from './postgres-binaries.ts'
import { runCommand } from './run-command.ts'

export interface PostgresLocation {
  /** Holds `bin`, `lib`, `share`. */
  readonly native: string
  /** The data directory of PostgreSQL. */
  readonly cluster: string
  /** Files and folders to delete with the database, including binaries that were copied for it. */
  readonly belongings: readonly string[]
  readonly runAs?: RunAs
}

const RELOCATION_ROOT = '/var/lib/signet-standalone'

/**
 * Decides where binaries and cluster live. Without root: the installed package and the data directory. Root
 * runs PostgreSQL as a system user. Where that user cannot enter the package, the data directory holds a copy
 * of it; where it cannot enter the data directory, both live under `relocationRoot` and the data directory
 * holds a pointer. Without the pointer the data directory of a database found there was deleted, so the
 * database is removed.
 */
export async function postgresLocation(
  dataDirectory: string,
  relocationRoot: string = RELOCATION_ROOT,
): Promise<PostgresLocation> {
  const native = await postgresBinaries()
  const cluster = join(dataDirectory, 'postgres')
  const runAs = await postgresSystemUser()
  if (runAs === undefined) return { native, cluster, belongings: [cluster] }

  const pointer = join(dataDirectory, RELOCATION_POINTER)
  const pointedTo = await relocationOf(dataDirectory)
  if (pointedTo !== undefined) return relocated(native, runAs, { folder: pointedTo, pointer })
  if (await reachableBy(runAs, [dataDirectory])) {
    if (await reachableBy(runAs, [join(native, 'bin', 'postgres')]))
      return { native, cluster, belongings: [cluster], runAs }
    const copy = await copyInto(dataDirectory, native)
    return { native: copy.native, cluster, belongings: [cluster, copy.folder], runAs }
  }
  if (await exists(join(cluster, 'PG_VERSION'))) {
    throw new StartFailure(
      `the system user that runs PostgreSQL can no longer reach ${cluster}; let others enter the folders on the way (chmod o+x) or move it`,
    )
  }
  const name = createHash('sha256').update(resolve(dataDirectory)).digest('hex').slice(0, 24)
  const location = join(relocationRoot, name)
  await stopOrphanedPostgres(join(location, 'postgres'))
  await rm(location, { recursive: true, force: true })
  await writeFile(pointer, `${location}\n`, { mode: 0o600 })
  return relocated(native, runAs, { folder: location, pointer })
}

async function relocated(
  installed: string,
  runAs: RunAs,
  { folder, pointer }: { readonly folder: string; readonly pointer: string },
): Promise<PostgresLocation> {
  await mkdir(folder, { recursive: true })
  // The creation mask of a careful root would keep the system user out.
  for (const path of [join(folder, '..'), folder]) await chmod(path, 0o755)
  const { native } = await copyInto(folder, installed)
  return { native, cluster: join(folder, 'postgres'), belongings: [folder, pointer], runAs }
}

/** A copy of the installed binaries inside `place`, made unless it is there. */
async function copyInto(
  place: string,
  installed: string,
): Promise<{ readonly folder: string; readonly native: string }> {
  const { version } = JSON.parse(await readFile(join(installed, '..', 'package.json'), 'utf8')) as {
    readonly version: string
  }
  const folder = join(place, `binaries-${version}`)
  const native = join(folder, 'native')
  if (!(await exists(native))) await copyBinaries(installed, folder)
  return { folder, native }
}

async function copyBinaries(installed: string, target: string): Promise<void> {
  const unfinished = `${target}.new`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished)
  const copied = await runCommand('cp', ['-R', '-P', installed, join(unfinished, 'native')])
  if (copied.code !== 0)
    throw new StartFailure(`PostgreSQL could not be copied to ${target}: ${copied.output}`)
  await ensureLibraryLinks(join(unfinished, 'native'))
  // Installed under a strict creation mask, the files are for root alone.
  await runCommand('chmod', ['-R', 'a+rX', unfinished])
  await rename(unfinished, target)
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

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
async function reachableBy(user: RunAs, paths: readonly string[]): Promise<boolean> {
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
