import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Environment } from '@signet/platform/config/settings'
import { StartFailure } from '@signet/platform/process/service'

/** A stored login: a personal access token, the credentials of a service user, or the tokens of a person. */
export type StoredLogin = (PersonalAccessToken | ClientLogin | BrowserLogin) & {
  /** The organization of commands that need one and name none. */
  readonly organizationId?: string | undefined
}

interface PersonalAccessToken {
  readonly issuer: string
  readonly token: string
}

export interface ClientLogin {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

/** The tokens of a sign-in with the browser. */
export interface BrowserLogin {
  readonly issuer: string
  readonly clientId: string
  readonly accessToken: string
  /** Rotated with each use. */
  readonly refreshToken: string
  /** Expiry of the access token, in ISO 8601. */
  readonly expiresAt: string
}

/** `signet/login.json` in the user's folder for settings. Throws StartFailure when the environment names none. */
export function loginFile(env: Environment): string {
  const folder = env.XDG_CONFIG_HOME || env.APPDATA || (env.HOME && join(env.HOME, '.config'))
  if (!folder) throw new StartFailure('HOME is not set; set it, or XDG_CONFIG_HOME, to keep a login')
  return join(folder, 'signet', 'login.json')
}

/** Returns undefined without a stored login. Throws StartFailure for an unreadable file. */
export async function findLogin(file: string): Promise<StoredLogin | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as StoredLogin
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new StartFailure(`${file} cannot be read; repeat signet login`, { cause: error })
  }
}

/** Replaces the stored login by one that only the user can read. Several commands may call this at the same time. */
export async function storeLogin(file: string, login: StoredLogin): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomUUID()}`
  try {
    await writeFile(draft, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    // The umask may have removed permissions of the owner.
    await chmod(draft, 0o600)
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
