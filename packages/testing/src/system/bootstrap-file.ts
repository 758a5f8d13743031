import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A bootstrap document where a process can read it. */
export interface BootstrapFile {
  readonly path: string
  write(document: unknown): Promise<void>
  remove(): Promise<void>
}

export async function writeBootstrapFile(document: unknown): Promise<BootstrapFile> {
  const folder = await mkdtemp(join(tmpdir(), 'signet-bootstrap-'))
  const path = join(folder, 'bootstrap.json')
  const write = (content: unknown) => writeFile(path, JSON.stringify(content, null, 2))
  await write(document)
  return { path, write, remove: () => rm(folder, { recursive: true, force: true }) }
}
