import { readSettings } from '@signet/platform/config/settings'
import { API_SCOPE } from '@signet/protocol/scopes'
import { createSuite, type Suite } from '../api/suite.ts'
import type { CommandContext } from '../context.ts'
import { CommandError, UsageError } from '../exit-codes.ts'
import {
  type BrowserLogin,
  type ClientLogin,
  findLogin,
  loginFile,
  type StoredLogin,
  storeLogin,
} from './stored-login.ts'
import { basicAuthorization, requestToken, tokensOf } from './token-request.ts'
import { createWorkloadTokens, findWorkloadLogin, type WorkloadLogin } from './workload-login.ts'

/** The part of a command's context that calls of the suite need. */
type AccessContext = Pick<CommandContext, 'env' | 'fetch' | 'now' | 'pause' | 'randomId'>

/**
 * Calls the suite with SIGNET_TOKEN or SIGNET_WORKLOAD_TOKEN, or else with the stored login. Throws a CommandError when there is none,
 * ConfigurationError when one is set without SIGNET_ISSUER, UsageError when both are, or when SIGNET_TOKEN cannot be a token.
 */
export async function openSuite(context: AccessContext): Promise<Suite> {
  return suiteOf(await requireLogin(context), context)
}

export function suiteOf(login: StoredLogin | WorkloadLogin, context: AccessContext): Suite {
  const { fetch, pause, randomId } = context
  const tokens = createTokenSource(login, context)
  return createSuite({ issuer: login.issuer, token: tokens, fetch, pause, randomId })
}

/** The organization of commands that name none: kept with the stored login, so the environment has none. */
export async function defaultOrganization(context: AccessContext): Promise<string | undefined> {
  return (await requireLogin(context)).organizationId
}

function createTokenSource(
  login: StoredLogin | WorkloadLogin,
  context: AccessContext,
): () => Promise<string> {
  if ('readAssertion' in login) return createWorkloadTokens(login, context)
  if ('token' in login) return async () => login.token
  if ('refreshToken' in login) {
    // One after the other: calls at the same time would each renew the token.
    let latest = login
    let previousCall: Promise<unknown> = Promise.resolve()
    return () => {
      const thisCall = previousCall.then(async () => {
        latest = await personToken(latest, context)
        return latest.accessToken
      })
      previousCall = thisCall.catch(() => undefined)
      return thisCall
    }
  }
  let issued: Promise<string> | undefined
  return () => {
    issued ??= clientCredentialsToken(login, context.fetch)
    return issued
  }
}

/** The characters that the `Authorization` header allows (RFC 6750 section 2.1). */
const HEADER_TEXT = /^[\x21-\x7e]+$/

/** The login of the environment, or the stored one. Throws as `openSuite`. */
export async function requireLogin({ env }: AccessContext): Promise<StoredLogin | WorkloadLogin> {
  const workload = findWorkloadLogin(env)
  if (workload !== undefined) return workload
  if (env.SIGNET_TOKEN || env.SIGNET_TOKEN_FILE) {
    const { SIGNET_ISSUER: issuer, SIGNET_TOKEN: token } = readSettings(env, [
      'SIGNET_ISSUER',
      'SIGNET_TOKEN',
    ])
    if (!HEADER_TEXT.test(token.reveal())) {
      throw new UsageError('SIGNET_TOKEN: must be one word of printable ASCII, such as one line of a file')
    }
    return { issuer, token: token.reveal() }
  }
  const { SIGNET_ISSUER: wanted } = readSettings(env, [], ['SIGNET_ISSUER'])
  const login = env.HOME || env.XDG_CONFIG_HOME || env.APPDATA ? await findLogin(loginFile(env)) : undefined
  if (login === undefined) {
    throw new CommandError(
      'notSignedIn',
      'there is no stored login; use signet login, or set SIGNET_ISSUER with SIGNET_TOKEN or SIGNET_WORKLOAD_TOKEN_FILE',
    )
  }
  if (wanted !== undefined && wanted !== login.issuer) {
    throw new CommandError(
      'notSignedIn',
      `the stored login is for ${login.issuer}, not for SIGNET_ISSUER; use signet login`,
    )
  }
  return login
}

/** An access token of a service user (RFC 6749 section 4.4). Throws a CommandError when the client is refused. */
async function clientCredentialsToken(
  { issuer, clientId, clientSecret }: ClientLogin,
  fetch: AccessContext['fetch'],
): Promise<string> {
  const headers = basicAuthorization(clientId, clientSecret)
  const form = { grant_type: 'client_credentials', scope: API_SCOPE }
  return (await requestToken({ issuer, fetch }, form, headers)).access_token
}

/** Renews a token 30 s before it expires, so that it is still valid when it arrives. */
const MARGIN_MS = 30_000

/**
 * The access token of a person. Renews it with the refresh token. Reads the stored login again before, since another command may
 * have rotated the refresh token. Two commands that renew at the same time get the same successor (docs/spec, retry window).
 */
async function personToken(login: BrowserLogin, { env, fetch, now }: AccessContext): Promise<BrowserLogin> {
  const isFresh = ({ expiresAt }: BrowserLogin) => Date.parse(expiresAt) - now().getTime() > MARGIN_MS
  if (isFresh(login)) return login
  const file = loginFile(env)
  const stored = await findLogin(file)
  const latest =
    stored !== undefined && 'refreshToken' in stored && stored.issuer === login.issuer ? stored : login
  if (isFresh(latest)) return latest
  const { issuer, clientId, refreshToken } = latest
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId }
  const body = await requestToken({ issuer, fetch }, form).catch((error: unknown) => {
    throw error instanceof CommandError
      ? new CommandError('notSignedIn', `the sign-in has ended; repeat signet login: ${error.message}`, {
          cause: error,
        })
      : error
  })
  const renewed = { ...latest, ...tokensOf(body, now()) }
  await storeLogin(file, renewed)
  return renewed
}
