import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Client } from '@signet/directory-reader/views'
import type { FailureLimit } from '@signet/http/rate-limit/failure-limit'
import type { Clock } from '@signet/platform/runtime/clock'
import type { ClientAuthMethod } from '@signet/protocol/client-auth-methods'
import { InvalidClientError } from '@signet/protocol/errors'
import { isIdentifier } from '@signet/tokens/identifiers'
import type { AssertionReplayGuard } from './assertion-replay.ts'
import type { AuthenticatedClient, ClientRequest } from './authenticated-client.ts'
import { verifyAssertion } from './client-assertion.ts'
import type { SecretVerifier } from './client-secret.ts'
import { type PresentedCredentials, presentedCredentials } from './presented-credentials.ts'
import { claimedSigner } from './signed-assertion.ts'

/**
 * Proves which client is calling, or throws InvalidClientError (401), InvalidRequestError or, after too many failures,
 * RateLimitedError (429).
 */
export type AuthenticateClient = (request: ClientRequest) => Promise<AuthenticatedClient>

export interface ClientAuthenticationOptions {
  readonly directory: Pick<DirectoryReader, 'client'>
  readonly secrets: SecretVerifier
  /** Values of `aud` that an assertion may carry: the issuer and the endpoint. */
  readonly audiences: readonly string[]
  /** Methods that this endpoint takes from this client. */
  readonly methodsFor: (client: Client) => readonly ClientAuthMethod[]
  /** Absent where the same assertion may be sent again until it expires. */
  readonly replayGuard?: AssertionReplayGuard
  readonly failures: FailureLimit
  readonly now: Clock
}

/** RFC 6749 section 2.3 and RFC 7523 section 2.2, for one endpoint. */
export function createClientAuthentication(options: ClientAuthenticationOptions): AuthenticateClient {
  return async (request) => {
    const presented = presentedCredentials(request)
    const clientId =
      presented.method === 'private_key_jwt' ? clientOfAssertion(presented) : presented.clientId
    // Neither the directory nor the counters of failures keep what cannot be a client_id.
    if (!isIdentifier(clientId)) throw failed('client_unknown', presented.method === 'client_secret_basic')
    const attempt = { clientId, clientAddress: request.clientAddress }
    options.failures.requireLeave(attempt)
    try {
      return { client: await requireClient(options, clientId, presented), method: presented.method }
    } catch (error) {
      if (error instanceof InvalidClientError) options.failures.count(attempt)
      throw error
    }
  }
}

async function requireClient(
  options: ClientAuthenticationOptions,
  clientId: string,
  presented: PresentedCredentials,
): Promise<Client> {
  const basicTried = presented.method === 'client_secret_basic'
  const client = await options.directory.client(clientId)
  if (client === undefined || !client.active) throw failed('client_unknown', basicTried)
  if (!options.methodsFor(client).includes(presented.method)) {
    throw new InvalidClientError(`the client may not authenticate with ${presented.method} here`, {
      reason: 'client_auth_method_not_registered',
      basicTried,
    })
  }
  await prove(options, client, presented)
  return client
}

async function prove(
  { secrets, audiences, replayGuard, now }: ClientAuthenticationOptions,
  client: Client,
  presented: PresentedCredentials,
): Promise<void> {
  switch (presented.method) {
    case 'none':
      return
    case 'client_secret_basic':
    case 'client_secret_post':
      if (await secrets.matches(client, presented.secret, now())) return
      throw failed('client_secret_wrong', presented.method === 'client_secret_basic')
    case 'private_key_jwt': {
      const assertion = await verifyAssertion(presented.assertion, client, audiences, now())
      await replayGuard?.admit(client.clientId, assertion, now())
    }
  }
}

function clientOfAssertion({
  assertion,
  clientId,
}: {
  readonly assertion: string
  readonly clientId?: string
}): string {
  const claimed = claimedSigner(assertion)
  if (claimed === undefined) throw failed('assertion_without_subject', false)
  if (clientId !== undefined && clientId !== claimed) throw failed('client_id_differs_from_assertion', false)
  return claimed
}

/** One text for all failures, so that a caller cannot probe which clients exist. */
function failed(reason: string, basicTried: boolean): InvalidClientError {
  return new InvalidClientError('client authentication failed: unknown client or wrong credentials', {
    reason,
    basicTried,
  })
}
