import { type Environment, readSettings } from '@signet/platform/config/settings'
import { API_SCOPE } from '@signet/protocol/scopes'
import type { CommandContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { requestToken } from './token-request.ts'

/** A service user whose platform proves who it is, such as a pod of Kubernetes: no secret of Signet is stored. */
export interface WorkloadLogin {
  readonly issuer: string
  readonly userId: string
  /** Reads the token of the platform, which the platform replaces before it ends. */
  readonly readAssertion: () => string
  readonly organizationId?: undefined
}

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const NAMES = ['SIGNET_WORKLOAD_TOKEN', 'SIGNET_WORKLOAD_TOKEN_FILE', 'SIGNET_WORKLOAD_USER']

/** Whether the environment names a login, which goes before the stored one. */
export const hasEnvironmentLogin = (env: Environment): boolean =>
  [...NAMES, 'SIGNET_TOKEN', 'SIGNET_TOKEN_FILE'].some((name) => Boolean(env[name]))

/**
 * The login of SIGNET_WORKLOAD_TOKEN. Throws ConfigurationError when another of its settings is missing, UsageError when SIGNET_TOKEN
 * is set as well.
 */
export function findWorkloadLogin(env: Environment): WorkloadLogin | undefined {
  if (!NAMES.some((name) => env[name])) return undefined
  if (env.SIGNET_TOKEN || env.SIGNET_TOKEN_FILE)
    throw new UsageError('SIGNET_TOKEN and SIGNET_WORKLOAD_TOKEN are both set; keep one')
  const read = () =>
    readSettings(env, ['SIGNET_ISSUER', 'SIGNET_WORKLOAD_USER', 'SIGNET_WORKLOAD_TOKEN'] as const)
  const { SIGNET_ISSUER: issuer, SIGNET_WORKLOAD_USER: userId } = read()
  return { issuer, userId, readAssertion: () => read().SIGNET_WORKLOAD_TOKEN.reveal() }
}

/** Renews a token so long before it expires that it is still valid when it arrives. */
const MARGIN_MS = 30_000

/**
 * Access tokens of the service user, each used until shortly before its end, so that a command may run for longer than the token of
 * its platform. Calls wait for one another, so that several at the same time make one request; one that failed is not kept.
 */
export function createWorkloadTokens(
  { issuer, userId, readAssertion }: WorkloadLogin,
  { fetch, now }: Pick<CommandContext, 'fetch' | 'now'>,
): () => Promise<string> {
  let latest = { token: '', renewAt: 0 }
  let previousCall: Promise<unknown> = Promise.resolve()
  const currentToken = async () => {
    if (now().getTime() < latest.renewAt) return latest.token
    const form = { grant_type: JWT_BEARER, client_id: userId, assertion: readAssertion(), scope: API_SCOPE }
    const { access_token: token, expires_in = 0 } = await requestToken({ issuer, fetch }, form)
    latest = { token, renewAt: now().getTime() + expires_in * 1_000 - MARGIN_MS }
    return token
  }
  return () => {
    const thisCall = previousCall.then(currentToken)
    previousCall = thisCall.catch(() => undefined)
    return thisCall
  }
}
