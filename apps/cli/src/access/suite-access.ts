import { readSettings } from '@signet/platform/config/settings'
import { SuiteUnreachable } from '../api/errors.ts'
import { createSuite, type Suite } from '../api/suite.ts'
import type { CommandContext } from '../context.ts'
import { CommandError } from '../exit-codes.ts'
import { findLogin, loginFile, type StoredLogin } from './stored-login.ts'

/** The part of a command's context that calls of the suite need. */
type AccessContext = Pick<CommandContext, 'env' | 'fetch' | 'pause' | 'randomId'>

/** Puts the project of the suite into the audience of the token. */
const SCOPE = 'urn:service:iam:org:project:id:signet:aud'

/**
 * Calls the suite with SIGNET_TOKEN, or else with the stored login. Throws a CommandError when there is neither,
 * ConfigurationError when SIGNET_TOKEN has no SIGNET_ISSUER.
 */
export async function openSuite(context: AccessContext): Promise<Suite> {
  return suiteOf(await requireLogin(context), context)
}

export function suiteOf(login: StoredLogin, { fetch, pause, randomId }: Omit<AccessContext, 'env'>): Suite {
  let issued: Promise<string> | undefined
  const token = async () => {
    if ('token' in login) return login.token
    issued ??= clientCredentialsToken(login, fetch)
    return await issued
  }
  return createSuite({ issuer: login.issuer, token, fetch, pause, randomId })
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
    throw new CommandError(3, 'nobody has signed in; use signet login, or set SIGNET_ISSUER and SIGNET_TOKEN')
  }
  if (wanted !== undefined && wanted !== login.issuer) {
    throw new CommandError(3, `the login is one for ${login.issuer}, not for SIGNET_ISSUER; use signet login`)
  }
  return login
}

/** An access token of a service user (RFC 6749 section 4.4). Throws a CommandError when the client is refused. */
async function clientCredentialsToken(
  { issuer, clientId, clientSecret }: Extract<StoredLogin, { clientId: string }>,
  fetch: AccessContext['fetch'],
): Promise<string> {
  // RFC 6749 section 2.3.1: both are form-encoded before they are joined.
  const credentials = [clientId, clientSecret].map((text) =>
    new URLSearchParams({ '': text }).toString().slice(1),
  )
  const response = await fetch(`${issuer}/oauth/v2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(credentials.join(':')).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: SCOPE }),
  }).catch((cause: unknown) => {
    throw new SuiteUnreachable(`${issuer} cannot be reached`, { cause })
  })
  if (response.status >= 500)
    throw new SuiteUnreachable(`${issuer} cannot issue a token now (${response.status})`)
  const body = Object(await response.json()) as { access_token?: string; error_description?: string }
  if (body.access_token !== undefined) return body.access_token
  throw new CommandError(3, `${body.error_description ?? 'the client is refused'} (${response.status})`)
}
