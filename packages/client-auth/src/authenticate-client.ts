import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Client } from '@signet/directory-reader/views'
import type { ClientCertificate } from '@signet/http/client-certificate'
import type { FailureLimit } from '@signet/http/rate-limit'
import type { Clock } from '@signet/platform/runtime/clock'
import { InvalidClientError } from '@signet/protocol/errors'
import { type ClientAuthMethod, TLS_AUTH_METHODS, type TlsAuthMethod } from '@signet/protocol/grant-types'
import { isClientIdentifier, isClientIdUrl } from '@signet/tokens/identifiers'
import type { FindDocumentKeys } from './document-keys.ts'
import type { FindIssuerKeys } from './issuer-keys.ts'
import { CertificateRefusal, type VerifyCertificate } from './mutual-tls/verify-certificate.ts'
import {
  type CredentialCarrier,
  type PresentedCredentials,
  presentedCredentials,
} from './presented-credentials.ts'
import {
  AssertionRefusal,
  claimedClient,
  claimedKey,
  clientRefusal,
  type VerifiedAssertion,
  verifyAssertion,
} from './signed-assertion.ts'
import type { ReviewToken } from './token-review.ts'
import { verifyTrustedAssertion } from './trusted-assertion.ts'

/**
 * Proves which client is calling, or throws InvalidClientError (401), InvalidRequestError or, after too many failures,
 * RateLimitedError (429).
 */
export type AuthenticateClient = (request: ClientRequest) => Promise<AuthenticatedClient>

export interface ClientAuthenticationOptions {
  readonly directory: Pick<DirectoryReader, 'client'>
  readonly secrets: SecretVerifier
  /** Values of `aud` that an assertion may carry: the issuer, which is the first, and the endpoint. */
  readonly audiences: readonly string[]
  /** Methods that this endpoint takes from this client. */
  readonly methodsFor: (client: Client) => readonly ClientAuthMethod[]
  /** Absent where the same assertion may be sent again until it expires. */
  readonly replayGuard?: AssertionReplayGuard
  readonly verifyCertificate: VerifyCertificate
  /** Finds the keys that issuers publish. Absent where clients may only trust issuers whose key set is uploaded. */
  readonly findIssuerKeys?: FindIssuerKeys
  /** Asks the issuer of an assertion that is not the client's own whether it still counts. */
  readonly reviewToken: ReviewToken
  /** Finds the keys of clients with a URL. Absent where those do not authenticate. */
  readonly findDocumentKeys?: FindDocumentKeys | undefined
  readonly failures: FailureLimit
  readonly now: Clock
}

/** Compares a presented secret with those of a client. */
export interface SecretVerifier {
  /**
   * `beforeGuessable` is called before a secret is compared that a person may have chosen, and what it throws is thrown. Rejects with
   * TemporarilyUnavailableError when too many slow hashes are waiting to be verified.
   */
  matches(client: Client, secret: string, now: Date, beforeGuessable: () => void): Promise<boolean>
}

/**
 * Lets every assertion through once, on any number of replicas. After a loss of Redis it refuses the assertions that
 * were issued before, since they may have been used. Assertions that a fail-over lost are not noticed.
 */
export interface AssertionReplayGuard {
  /**
   * Throws InvalidClientError for an assertion that was or may have been used, and TemporarilyUnavailableError when
   * Redis does not respond.
   */
  admit(clientId: string, assertion: VerifiedAssertion, now: Date): Promise<void>
}

/** RFC 6749 section 2.3, RFC 7523 section 2.2 and RFC 8705 section 2, for one endpoint. */
export function createClientAuthentication(options: ClientAuthenticationOptions): AuthenticateClient {
  return async (request) => {
    const presented = presentedCredentials(request)
    const clientId =
      presented.method === 'private_key_jwt' ? clientOfAssertion(presented) : presented.clientId
    // Neither the directory nor the counters of failures keep what cannot be a client_id.
    if (!isClientIdentifier(clientId))
      throw failed('client_unknown', presented.method === 'client_secret_basic')
    request.onStated?.(clientId)
    const attempt = { clientId, clientAddress: request.clientAddress }
    const requireLeave = () => options.failures.requireLeave(attempt)
    try {
      const { onFound } = request
      const { certificate } = request
      return await requireClient({ ...options, onFound, certificate }, clientId, presented, requireLeave)
    } catch (error) {
      // Wrong credentials of others never refuse right ones that cannot be guessed, so those are compared first.
      if (error instanceof InvalidClientError) {
        requireLeave()
        options.failures.count(attempt)
      }
      throw error
    }
  }
}

async function requireClient(
  {
    onFound,
    certificate,
    ...options
  }: ClientAuthenticationOptions & Pick<ClientRequest, 'onFound' | 'certificate'>,
  clientId: string,
  presented: PresentedCredentials,
  requireLeave: () => void,
): Promise<AuthenticatedClient> {
  const basicTried = presented.method === 'client_secret_basic'
  const client = await options.directory.client(clientId)
  if (client === undefined || !client.active) throw failed('client_unknown', basicTried)
  onFound?.(clientId)
  const methods = options.methodsFor(client)
  // RFC 8705 section 2: with its client_id alone a client means the certificate, where that is its method.
  const byTls =
    presented.method === 'none' ? TLS_AUTH_METHODS.find((one) => methods.includes(one)) : undefined
  if (byTls !== undefined) {
    proveByCertificate(options, client, byTls, certificate)
    return { client, method: byTls }
  }
  if (!methods.includes(presented.method)) {
    throw new InvalidClientError(methodProblem(presented.method, methods, client), {
      reason: 'client_auth_method_not_registered',
      basicTried,
    })
  }
  await prove(options, client, presented, requireLeave)
  return { client, method: presented.method }
}

function proveByCertificate(
  { verifyCertificate, now }: ClientAuthenticationOptions,
  client: Client,
  method: TlsAuthMethod,
  certificate: ClientCertificate | undefined,
): void {
  if (certificate === undefined) {
    throw new InvalidClientError(
      `the client authenticates with ${method}, and no certificate came with the request; call the endpoint of mtls_endpoint_aliases in discovery`,
      { reason: 'client_certificate_missing', basicTried: false },
    )
  }
  try {
    verifyCertificate(certificate, client, method, now())
  } catch (error) {
    if (!(error instanceof CertificateRefusal)) throw error
    const { message, reason } = error
    throw new InvalidClientError(`the client certificate is refused: ${message}`, {
      reason,
      basicTried: false,
    })
  }
}

function methodProblem(
  used: ClientAuthMethod,
  registered: readonly ClientAuthMethod[],
  { fapi2 }: Client,
): string {
  if (fapi2 && registered.length === 0)
    return 'the client has fapi2, so its authMethod must be private_key_jwt or a certificate (FAPI 2.0 Security Profile section 5.3.2.1)'
  return registered.length === 0
    ? 'a public client may not call this endpoint; use a client that authenticates, such as an application of type api'
    : `the client may not authenticate with ${used} here; its authMethod is ${registered.join(' or ')}`
}

async function prove(
  options: ClientAuthenticationOptions,
  client: Client,
  presented: PresentedCredentials,
  requireLeave: () => void,
): Promise<void> {
  const { secrets, now } = options
  switch (presented.method) {
    case 'none':
      return
    case 'client_secret_basic':
    case 'client_secret_post':
      if (await secrets.matches(client, presented.secret, now(), requireLeave)) return
      throw failed('client_secret_wrong', presented.method === 'client_secret_basic')
    case 'private_key_jwt':
      await proveByAssertion(options, client, presented.assertion)
  }
}

/** The client signed the assertion, or it is one of an issuer that the client trusts, which may be presented until it ends. */
async function proveByAssertion(
  { audiences, replayGuard, findIssuerKeys, findDocumentKeys, reviewToken, now }: ClientAuthenticationOptions,
  client: Client,
  assertion: string,
): Promise<void> {
  if (claimedClient(assertion) === client.clientId) {
    const keys = isClientIdUrl(client.clientId)
      ? await keysOfDocument(findDocumentKeys, client.clientId, assertion)
      : client.keys
    const verified = await verifyAssertion(assertion, { ...client, keys }, audiences, now())
    await replayGuard?.admit(client.clientId, verified, now())
    return
  }
  const { issuerTrusts: trusts, fapi2 } = client
  if (trusts.length === 0 || fapi2) throw failed('client_id_differs_from_assertion', false)
  const [audience = ''] = audiences
  await verifyTrustedAssertion(assertion, {
    ...{ trusts, audience, findIssuerKeys: findIssuerKeys ?? refuseToRead },
    ...{ reviewToken, now: now() },
  }).catch(clientRefusal)
}

/** The document of a client decides about its keys, also where an administrator added others to its application. */
async function keysOfDocument(
  find: FindDocumentKeys | undefined,
  clientId: string,
  assertion: string,
): Promise<Client['keys']> {
  if (find !== undefined) return find(clientId, claimedKey(assertion))
  throw new InvalidClientError('clients with a URL do not authenticate here', {
    reason: 'client_document_refused',
    basicTried: false,
  })
}

const refuseToRead: FindIssuerKeys = async () => {
  throw new AssertionRefusal(
    'the keys of its issuer are read for the token endpoint only; for this one upload them as keySet of the trusted issuer',
    'issuer_keys_not_uploaded',
  )
}

/** The client that an assertion is for: `client_id` beside it, or its subject. */
function clientOfAssertion({
  assertion,
  clientId,
}: {
  readonly assertion: string
  readonly clientId?: string
}): string {
  const claimed = clientId ?? claimedClient(assertion)
  if (claimed === undefined) throw failed('assertion_without_subject', false)
  return claimed
}

/** Returns the same text for all failures, so that a caller cannot probe which clients exist. */
function failed(reason: string, basicTried: boolean): InvalidClientError {
  return new InvalidClientError(
    'client authentication failed: unknown client or wrong credentials; client_id is the clientId of an application, not its id',
    {
      reason,
      basicTried,
    },
  )
}

/** A client that has proven who it is, and how. */
export interface AuthenticatedClient {
  readonly client: Client
  readonly method: ClientAuthMethod
}

/** A request that a client has to prove itself for. */
export interface ClientRequest extends CredentialCarrier {
  readonly clientAddress: string
  /** The certificate of its connection. */
  readonly certificate?: ClientCertificate | undefined
  /** Called with the client_id that the request states, before anything is proven. */
  readonly onStated?: (clientId: string) => void
  /** Called with the client_id of an active client, before anything is proven. */
  readonly onFound?: ((clientId: string) => void) | undefined
}
