import { chmod, mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder that others may enter: as root, PostgreSQL runs as a system user. */
export async function temporaryFolder(purpose: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `signet-test-${purpose}-`))
  await chmod(folder, 0o755)
  return folder
}

const preparedPrefix = (runId: string) => `signet-test-prepared-${runId}-`

/**
 * The data directory that tests of a run copy, for migrations with this hash; `startServersOfRun` removes it with the
 * servers. The servers of `npm run dev:servers` outlive changes of migrations.
 */
export const preparedDataFolder = (runId: string, contentHash: string): string =>
  join(tmpdir(), `${preparedPrefix(runId)}${contentHash}`)

/** Every prepared data directory of a run, also unfinished ones. */
export async function preparedDataFolders(runId: string): Promise<readonly string[]> {
  const names = await readdir(tmpdir())
  return names.filter((name) => name.startsWith(preparedPrefix(runId))).map((name) => join(tmpdir(), name))
}
