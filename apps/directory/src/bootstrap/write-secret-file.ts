import { rename, writeFile } from 'node:fs/promises'

/** Writes a file of mode 0600, whole or not at all, whatever mode a file of that name had. */
export async function writeSecretFile(path: string, content: string): Promise<void> {
  const unfinished = `${path}.${process.pid}.tmp`
  await writeFile(unfinished, content, { mode: 0o600 })
  await rename(unfinished, path)
}
