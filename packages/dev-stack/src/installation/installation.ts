import { createHmac } from 'node:crypto'
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Secret } from '@signet/platform/config/settings-fields'
import { DATABASE_ROLES, type DatabaseRole } from '@signet/platform/postgres/roles'
import { StartFailure } from '@signet/platform/process/service'
import { z } from 'zod'

/** The secrets that an installation on one machine creates at its first start and stores. */
export interface Installation {
  readonly keysMasterKeys: Secret<readonly Buffer[]>
  readonly directoryMasterKeys: Secret<readonly Buffer[]>
  readonly migrationMasterKeys: Secret<readonly Buffer[]>
  readonly loginMasterKeys: Secret<readonly Buffer[]>
  readonly federationMasterKeys: Secret<readonly Buffer[]>
  readonly rolePasswords: Readonly<Record<DatabaseRole, Secret>>
  /** A random text that is always the same for a name, such as the password of a sample user. */
  secretFor(name: string): string
  readonly isNew: boolean
}

const fileSchema = z.strictObject({
  keysMasterKey: z.string(),
  directoryMasterKey: z.string(),
  derivationKey: z.string(),
})

/**
 * Reads `installation.json` in the data directory or makes it, readable by its owner only. Losing the file means
 * losing what is sealed under its keys. Throws StartFailure when it cannot be read or written.
 */
export async function openInstallation(
  dataDirectory: string,
  random: (size: number) => Buffer,
): Promise<Installation> {
  const file = join(dataDirectory, 'installation.json')
  const found = await readIfPresent(file)
  const key = () => random(32).toString('base64url')
  const content = found ?? { keysMasterKey: key(), directoryMasterKey: key(), derivationKey: key() }
  if (found === undefined) await writeOnce(dataDirectory, file, content)
  const secretFor = (name: string) =>
    createHmac('sha256', Buffer.from(content.derivationKey, 'base64url')).update(name).digest('base64url')
  return {
    keysMasterKeys: masterKeys(content.keysMasterKey),
    directoryMasterKeys: masterKeys(content.directoryMasterKey),
    // Derived: it encrypts data that live for a day at most.
    migrationMasterKeys: masterKeys(secretFor('migration master key')),
    // Derived: losing it costs sign-ins.
    loginMasterKeys: masterKeys(secretFor('login master key')),
    // Derived: it encrypts data that live for ten minutes.
    federationMasterKeys: masterKeys(secretFor('federation master key')),
    rolePasswords: Object.fromEntries(
      DATABASE_ROLES.map((role) => [role, new Secret(secretFor(`role ${role}`))]),
    ) as Record<DatabaseRole, Secret>,
    secretFor,
    isNew: found === undefined,
  }
}

/** Several are separated by commas, the newest first, as in the settings of the services. */
function masterKeys(text: string): Secret<readonly Buffer[]> {
  return new Secret(text.split(',').map((key) => Buffer.from(key, 'base64url')))
}

async function readIfPresent(file: string): Promise<z.infer<typeof fileSchema> | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new StartFailure(`cannot read ${file} (${error.code})`, { cause: error })
  })
  if (text === undefined) return undefined
  try {
    return fileSchema.parse(JSON.parse(text))
  } catch (cause) {
    throw new StartFailure(`${file} is damaged; restore it from a backup, its keys open the stored secrets`, {
      cause,
    })
  }
}

async function writeOnce(
  dataDirectory: string,
  file: string,
  content: z.infer<typeof fileSchema>,
): Promise<void> {
  try {
    await mkdir(dataDirectory, { recursive: true })
    await chmod(dataDirectory, 0o700)
    // Written whole or not at all: half a file would look like a damaged one for ever.
    await writeFile(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
    await rename(`${file}.new`, file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartFailure(`cannot write ${file} (${code}); choose another SIGNET_DATA_DIR`, { cause: error })
  }
}
