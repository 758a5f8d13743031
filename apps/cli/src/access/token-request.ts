import { SuiteUnreachable } from '../api/errors.ts'
import { CommandError } from '../exit-codes.ts'

/** The header by which a client authenticates. RFC 6749 section 2.3.1: both are form-encoded before they are joined. */
export function basicAuthorization(
  clientId: string,
  clientSecret: string,
): { readonly authorization: string } {
  const credentials = [clientId, clientSecret].map((text) =>
    new URLSearchParams({ '': text }).toString().slice(1),
  )
  return { authorization: `Basic ${Buffer.from(credentials.join(':')).toString('base64')}` }
}

interface TokenEndpoint {
  readonly issuer: string
  readonly fetch: typeof fetch
}

interface TokenResponse {
  readonly access_token: string
  readonly refresh_token?: string
  readonly expires_in?: number
}

/** Calls the token endpoint. Throws a CommandError when it refuses (RFC 6749 section 5.2), SuiteUnreachable without a response. */
export async function requestToken(
  { issuer, fetch }: TokenEndpoint,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<TokenResponse> {
  const response = await fetch(`${issuer}/oauth/v2/token`, {
    method: 'POST',
    headers,
    body: new URLSearchParams(form),
    // A form with a credential is for the issuer alone.
    redirect: 'error',
  }).catch((cause: unknown) => {
    throw new SuiteUnreachable(`${issuer} cannot be reached`, { cause })
  })
  if (response.status >= 500 || response.status === 429) {
    await response.body?.cancel()
    throw new SuiteUnreachable(`${issuer} cannot issue a token now (${response.status})`)
  }
  const body = Object(await response.json().catch(() => undefined)) as Partial<TokenResponse> & {
    readonly error_description?: string
  }
  if (body.access_token !== undefined) return { ...body, access_token: body.access_token }
  throw new CommandError(
    'notSignedIn',
    `${body.error_description ?? 'the client is refused'} (${response.status})`,
  )
}

interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
  /** Expiry of the access token, in ISO 8601. */
  readonly expiresAt: string
}

/** Throws a CommandError when the application gets no refresh tokens. */
export function tokensOf({ access_token, refresh_token, expires_in = 0 }: TokenResponse, now: Date): Tokens {
  if (refresh_token === undefined) {
    throw new CommandError(
      'notSignedIn',
      'the application gets no refresh token; add refresh_token to its grantTypes',
    )
  }
  const expiresAt = new Date(now.getTime() + expires_in * 1_000).toISOString()
  return { accessToken: access_token, refreshToken: refresh_token, expiresAt }
}
