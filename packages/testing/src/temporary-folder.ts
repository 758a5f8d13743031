import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder that others may enter: as root, PostgreSQL runs as a system user. */
export async function temporaryFolder(purpose: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `signet-test-${purpose}-`))
  await chmod(folder, 0o755)
  return folder
}

/** The data directory that tests of a run copy; `startServersOfRun` removes it with the servers. */
export const preparedDataFolder = (runId: string): string => join(tmpdir(), `signet-test-prepared-${runId}`)
