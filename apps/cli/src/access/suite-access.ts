import { readSettings } from '@signet/platform/config/settings'
import { type SuiteCaller, suiteCaller } from '../api/suite-caller.ts'
import type { CommandContext } from '../command.ts'
import { clientCredentialsToken } from './client-credentials.ts'
import { LoginRequired } from './login-required.ts'
import { findLogin, loginFile, type StoredLogin } from './stored-login.ts'

/** The part of a command's context that calls of the suite need. */
export type AccessContext = Pick<CommandContext, 'env' | 'fetch' | 'pause'>

/**
 * Calls the suite as whom SIGNET_TOKEN says, or else as whoever has signed in. Throws LoginRequired when nobody has,
 * ConfigurationError when SIGNET_TOKEN has no SIGNET_ISSUER.
 */
export async function openSuite(context: AccessContext): Promise<SuiteCaller> {
  return callerOf(await requireLogin(context), context)
}

export function callerOf(login: StoredLogin, { fetch, pause }: Omit<AccessContext, 'env'>): SuiteCaller {
  const { issuer } = login
  if ('token' in login) return suiteCaller({ issuer, token: async () => login.token, fetch, pause })
  let issued: Promise<string> | undefined
  const token = () => {
    issued ??= clientCredentialsToken({ ...login, fetch })
    return issued
  }
  return suiteCaller({ issuer, token, fetch, pause })
}

async function requireLogin({ env }: AccessContext): Promise<StoredLogin> {
  if (env.SIGNET_TOKEN || env.SIGNET_TOKEN_FILE) {
    const { SIGNET_ISSUER: issuer, SIGNET_TOKEN: token } = readSettings(env, [
      'SIGNET_ISSUER',
      'SIGNET_TOKEN',
    ])
    return { issuer, token: token.reveal() }
  }
  const { SIGNET_ISSUER: wanted } = readSettings(env, [], ['SIGNET_ISSUER'])
  const login = env.HOME || env.XDG_CONFIG_HOME || env.APPDATA ? await findLogin(loginFile(env)) : undefined
  if (login === undefined) {
    throw new LoginRequired('nobody has signed in; use signet login, or set SIGNET_ISSUER and SIGNET_TOKEN')
  }
  if (wanted !== undefined && wanted !== login.issuer) {
    throw new LoginRequired(`the login is one for ${login.issuer}, not for SIGNET_ISSUER; use signet login`)
  }
  return login
}
