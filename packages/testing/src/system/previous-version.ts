import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Program } from '@signet/dev-stack/processes/child'
import { temporaryFolder } from '../temporary-folder.ts'

const execute = promisify(execFile)

/** The version before this one, checked out beside it. */
export interface PreviousVersion {
  readonly revision: string
  /** Runs its apps from their sources. */
  readonly program: Program
  /** Whether the version has a migration, named by the path of its file up to and without its name: `apps/keys/migrations/0001`. */
  hasMigration(path: string): Promise<boolean>
  remove(): Promise<void>
}

/**
 * Checks the version out and installs what it needs: `wanted`, else the release before this commit, else the newest
 * commit before the schema last changed that asks for no migration but those of now. Rejects where the history of the
 * repository is not there.
 */
export async function checkOutPreviousVersion(
  root: string,
  wanted: string | undefined,
): Promise<PreviousVersion> {
  const revision = wanted ?? (await releaseBefore(root)) ?? (await commitBeforeLastMigration(root))
  const folder = await temporaryFolder('previous')
  await git(root, 'worktree', 'add', '--detach', folder, revision)
  const remove = async () => void (await git(root, 'worktree', 'remove', '--force', folder))
  try {
    await install(folder)
  } catch (error) {
    await remove()
    throw error
  }
  return {
    revision: await git(folder, 'rev-parse', '--short', 'HEAD'),
    program: (app) => [
      '--conditions=source',
      `--import=${withoutUnknownSettings(root, folder)}`,
      `${folder}/apps/${app}/src/main.ts`,
    ],
    hasMigration: async (path) =>
      (await migrationsAt(folder, 'HEAD')).some((file) => file.startsWith(`${path}_`)),
    remove,
  }
}

/** A module that takes away the settings that came after the version: it refuses to start with a name it does not know. */
function withoutUnknownSettings(root: string, folder: string): string {
  const known = settingNames(folder)
  const names = settingNames(root).filter((name) => !known.includes(name))
  const script = `for (const name of ${JSON.stringify(names)}) delete process.env[name]`
  return `data:text/javascript,${encodeURIComponent(script)}`
}

function settingNames(folder: string): readonly string[] {
  const path = ['platform/src/config', 'service-runtime/src']
    .map((parent) => `${folder}/packages/${parent}/known-settings.ts`)
    .find((file) => existsSync(file))
  const text = readFileSync(String(path), 'utf8')
  return [...text.matchAll(/\bSIGNET_\w+(?=:)/g)].map(([name]) => name)
}

async function install(folder: string): Promise<void> {
  const args = ['install', '--frozen-lockfile', '--prefer-offline', '--ignore-scripts']
  await execute('pnpm', args, { cwd: folder })
  await execute('pnpm', ['--filter', '@signet/grpc', '--filter', '@signet/rpc', 'generate'], { cwd: folder })
}

async function releaseBefore(root: string): Promise<string | undefined> {
  const tags = await git(root, 'tag', '--list', 'v*', '--merged', 'HEAD^', '--sort=-version:refname')
  return tags.split('\n')[0] || undefined
}

async function commitBeforeLastMigration(root: string): Promise<string> {
  // A commit that renames a migration adds none.
  const added = ['--diff-filter=A', '--find-renames', '--', 'apps/*/migrations/*']
  const last = await git(root, 'log', '-1', '--format=%H', 'HEAD', ...added)
  const present = new Set(await migrationsAt(root, 'HEAD'))
  const earlier = await git(root, 'rev-list', `${last}^`)
  for (const commit of earlier.split('\n')) {
    const known = await migrationsAt(root, commit)
    if (known.every((file) => present.has(file))) return commit
  }
  throw new Error('no earlier commit can run on the migrations of this one; name one in SIGNET_TEST_PREVIOUS')
}

async function migrationsAt(root: string, commit: string): Promise<readonly string[]> {
  const files = await git(root, 'ls-tree', '-r', '--name-only', commit, '--', 'apps')
  return files.split('\n').filter((file) => /^apps\/[^/]+\/migrations\//.test(file))
}

async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await execute('git', [...args], { cwd })
  return stdout.trim()
}
