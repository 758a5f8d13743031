import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

export const RELOCATION_POINTER = 'postgres-location'

/** Returns the folder of root's PostgreSQL when it could not be in the data directory; undefined when it is. */
export async function relocationOf(dataDirectory: string): Promise<string | undefined> {
  const pointedTo = await readFile(join(dataDirectory, RELOCATION_POINTER), 'utf8').catch(() => '')
  return pointedTo.trim() || undefined
}

/** Removes a data directory whose databases have stopped, with what lives elsewhere. */
export async function removeDataDirectory(dataDirectory: string): Promise<void> {
  const elsewhere = await relocationOf(dataDirectory)
  if (elsewhere !== undefined) await rm(elsewhere, { recursive: true, force: true })
  await rm(dataDirectory, { recursive: true, force: true })
}
