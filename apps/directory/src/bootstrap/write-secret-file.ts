import { rename, writeFile } from 'node:fs/promises'
import { ObjectConflict } from './object-writer.ts'

/** Writes a file of mode 0600, whole or not at all, whatever mode a file of that name had. */
export async function writeSecretFile(path: string, content: string): Promise<void> {
  const unfinished = `${path}.${process.pid}.tmp`
  try {
    await writeFile(unfinished, content, { mode: 0o600 })
    await rename(unfinished, path)
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException
    throw new ObjectConflict(`cannot write ${path} (${code})`, { member: 'outputFile', cause })
  }
}
