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
  remove(): Promise<void>
}

/** Checks a commit or tag out and installs what it needs. Rejects when the repository does not have it. */
export async function checkOutPreviousVersion(
  root: string,
  revision: string | undefined,
): Promise<PreviousVersion> {
  if (revision === undefined)
    throw new Error('SIGNET_TEST_PREVIOUS names no version; run npm run test:upgrade')
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
  await execute('pnpm', ['--filter', '@signet/grpc', '--filter', '@signet/cli', 'generate'], { cwd: folder })
}

async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await execute('git', [...args], { cwd })
  return stdout.trim()
}
