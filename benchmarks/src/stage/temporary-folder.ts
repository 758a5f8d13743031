import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new folder that goes with everything in it when `opened` is disposed of. */
export async function temporaryFolder(opened: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'signet-bench-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  return folder
}
