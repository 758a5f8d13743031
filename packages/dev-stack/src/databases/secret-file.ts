import { randomBytes } from 'node:crypto'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { Secret } from '@signet/platform/config/settings-fields'

/** Reads the password kept in `path`; makes a random one with 192 bits, readable by the owner only, when there is none. */
export async function passwordFromFile(path: string): Promise<Secret> {
  try {
    const kept = (await readFile(path, 'utf8')).trim()
    if (kept !== '') return new Secret(kept)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const password = randomBytes(24).toString('base64url')
  await writeFile(path, `${password}\n`, { mode: 0o600 })
  await chmod(path, 0o600)
  return new Secret(password)
}
