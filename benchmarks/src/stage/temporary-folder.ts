import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeDataDirectory } from '@signet/dev-stack/databases/data-directory'

/** A new data directory that goes with everything in it when `opened` is disposed of. */
export async function temporaryFolder(opened: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'signet-bench-'))
  opened.defer(() => removeDataDirectory(folder))
  return folder
}
