import type { GuardedFetch } from '@signet/platform/outbound-http/http-calls'
import {
  AuthorizationResponseError,
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  customFetch,
  OperationProcessingError,
  UnsupportedOperationError,
  userInfoRequest,
  validateAuthResponse,
} from 'oauth4webapi'
import { z } from 'zod'
import { type AssertionParts, authenticationOf } from './client-authentication.ts'
import type { Provider } from './provider.ts'
import type { ProviderMetadata } from './provider-documents.ts'
import { Refused } from './refusal.ts'
import { refusalOfCall, refusalOfStatus } from './refusal-of-call.ts'

export interface CallContext {
  readonly provider: Provider
  /** Endpoints of the provider; no call needs its keys. */
  readonly metadata: Omit<ProviderMetadata, 'jwks_uri'>
  readonly fetch: GuardedFetch
  /** Ends the calls of the sign-in. */
  readonly signal: AbortSignal
}

type Claims = Readonly<Record<string, unknown>>

/** Checks the parameters of a response (RFC 6749 section 4.1.2, RFC 9207). Throws Refused, also for an error of the provider. */
export function requireResponse(
  { provider, metadata }: CallContext,
  parameters: URLSearchParams,
  state: string,
): URLSearchParams {
  const received = parameters.get('iss')
  if (
    received !== metadata.issuer &&
    (received !== null || metadata.authorization_response_iss_parameter_supported)
  ) {
    throw new Refused('response_issuer_differs', { received, expected: metadata.issuer })
  }
  try {
    return validateAuthResponse(serverOf(metadata), clientOf(provider), parameters, state)
  } catch (cause) {
    if (cause instanceof AuthorizationResponseError) {
      throw new Refused('upstream_error', { received: codeOf(cause.error), declined: true })
    }
    if (isProtocolError(cause)) throw new Refused('response_malformed', { received: cause.message, cause })
    throw cause
  }
}

const tokenResponse = z.object({
  access_token: z.string().min(1),
  token_type: z.string().regex(/^bearer$/i),
  id_token: z.string().optional(),
})

export interface Tokens {
  readonly accessToken: string
  /** Undefined where the provider sends none. */
  readonly idToken: string | undefined
}

/** Redeems the code of a checked response. Throws Refused. */
export async function redeemCode(
  { provider, metadata, now, random, ...calls }: CallContext & AssertionParts,
  response: URLSearchParams,
  { redirectUri, codeVerifier }: { readonly redirectUri: string; readonly codeVerifier: string },
): Promise<Tokens> {
  const authentication = authenticationOf(provider, { now, random })
  const answer = await authorizationCodeGrantRequest(
    ...([serverOf(metadata), clientOf(provider), authentication, response] as const),
    ...([redirectUri, codeVerifier, callOptions(metadata, calls)] as const),
  ).catch((error: unknown) => {
    throw refusalOfCall(
      isProtocolError(error)
        ? new Refused('response_malformed', { received: error.message, cause: error })
        : error,
    )
  })
  if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
    const { error } = await readJson(answer).catch((): Claims => ({}))
    throw new Refused('token_refused', {
      received: typeof error === 'string' ? codeOf(error) : answer.status,
    })
  }
  if (answer.status !== 200) throw refusalOfStatus(answer.status)
  const json = await readJson(answer)
  // GitHub answers errors with the status 200.
  if (typeof json.error === 'string') throw new Refused('token_refused', { received: codeOf(json.error) })
  const read = tokenResponse.safeParse(json)
  if (!read.success) throw new Refused('answer_malformed', { received: 'token endpoint', cause: read.error })
  const { access_token: accessToken, id_token: idToken } = read.data
  return { accessToken, idToken }
}

/** Reads the claims of userinfo; undefined where the provider has none. Throws Refused, also for another `sub`. */
export async function readUserInfo(
  { provider, metadata, ...calls }: CallContext,
  accessToken: string,
  subject: string,
): Promise<Claims | undefined> {
  if (metadata.userinfo_endpoint === undefined) return undefined
  const server = serverOf(metadata)
  const answer = await userInfoRequest(
    ...([server, clientOf(provider), accessToken, callOptions(metadata, calls)] as const),
  ).catch((error: unknown) => {
    throw refusalOfCall(error)
  })
  if (answer.status === 401 || answer.status === 403)
    throw new Refused('userinfo_refused', { received: answer.status })
  if (answer.status !== 200) throw refusalOfStatus(answer.status)
  // One that is signed is not asked for.
  const claims = await readJson(answer)
  if (claims.sub !== subject) {
    throw new Refused('userinfo_subject_differs', { received: claims.sub, expected: subject })
  }
  return claims
}

async function readJson(answer: Response): Promise<Claims> {
  const read = z.record(z.string(), z.unknown()).safeParse(await readAnswer(answer))
  if (read.success) return read.data
  throw new Refused('answer_malformed', { received: answer.headers.get('content-type') ?? '' })
}

/** Reads the JSON of an answer. Throws Refused. */
export async function readAnswer(answer: Response): Promise<unknown> {
  try {
    return await answer.json()
  } catch {
    // The error quotes the answer, which may have a token.
    throw new Refused('answer_malformed', { received: answer.headers.get('content-type') ?? '' })
  }
}

const serverOf = (metadata: CallContext['metadata']): AuthorizationServer =>
  ({ ...metadata }) as AuthorizationServer
const clientOf = ({ clientId }: Provider): Client => ({ client_id: clientId })

/** Only a provider without https has endpoints without it: `ProviderDocuments` refuses others. */
function callOptions(
  { issuer }: CallContext['metadata'],
  { fetch, signal }: Pick<CallContext, 'fetch' | 'signal'>,
) {
  return { [customFetch]: fetch, signal, [allowInsecureRequests]: issuer.startsWith('http:') }
}

/** The text of an `error` (RFC 6749 section 5.2). */
const codeOf = (error: string) => (/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/.test(error) ? error : 'malformed')

const isProtocolError = (error: unknown): error is Error =>
  error instanceof OperationProcessingError || error instanceof UnsupportedOperationError
