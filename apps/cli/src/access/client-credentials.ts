import { SuiteUnreachable } from '../api/management-api-error.ts'
import { LoginRequired } from './login-required.ts'

interface ClientCredentialsOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly fetch: typeof fetch
}

/** Puts the project of the suite into the audience of the token. */
const SCOPE = 'urn:service:iam:org:project:id:signet:aud'

/** An access token for the management API (RFC 6749 section 4.4). Throws LoginRequired when the client is refused. */
export async function clientCredentialsToken(options: ClientCredentialsOptions): Promise<string> {
  const { issuer, clientId, clientSecret, fetch } = options
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
  const answer = Object(await response.json()) as { access_token?: string; error_description?: string }
  if (answer.access_token !== undefined) return answer.access_token
  throw new LoginRequired(`${answer.error_description ?? 'the client is refused'} (${response.status})`)
}
