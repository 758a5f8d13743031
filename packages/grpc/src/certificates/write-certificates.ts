import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartFailure } from '@signet/platform/process/service'
import type { Certificates } from './make-certificates.ts'

/**
 * Writes `ca.crt` and for each service `<name>.crt` and `<name>.key`, readable by their owner only, and answers their
 * names. Makes the folder when missing. Throws StartFailure, with nothing replaced, when one of the files exists.
 */
export async function writeCertificates(
  folder: string,
  { ca, services }: Certificates,
): Promise<readonly string[]> {
  const files: [name: string, content: string][] = [['ca.crt', ca]]
  for (const [name, { certificate, privateKey }] of Object.entries(services)) {
    files.push([`${name}.crt`, certificate], [`${name}.key`, privateKey])
  }
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    // `wx` fails for a file that exists; the authority comes first, so a complete set is never begun over another.
    for (const [name, content] of files)
      await writeFile(join(folder, name), content, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw new StartFailure(problemOf(error as NodeJS.ErrnoException, folder), { cause: error })
  }
  return files.map(([name]) => name)
}

function problemOf({ code, path }: NodeJS.ErrnoException, folder: string): string {
  if (code === 'EEXIST') return `${path} exists and is not replaced; choose another folder or move it away`
  return `cannot write to ${folder} (${code})`
}
