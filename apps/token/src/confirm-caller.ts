import type { IncomingMessage } from 'node:http'
import type { Client } from '@signet/directory-reader/views'
import { clientCertificate } from '@signet/http/client-certificate'
import type { HeaderList } from '@signet/http/endpoint'
import { DpopProofError, InvalidRequestError } from '@signet/protocol/errors'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import type { Confirmation } from '@signet/tokens/access-token'
import type { DpopNonces } from '@signet/tokens/dpop/nonce'
import type { RequireProof } from '@signet/tokens/dpop/require-proof'

/**
 * Returns the key that the caller of the token endpoint proves, to which the access token is bound (RFC 9449 section 5, RFC 8705
 * section 3), and the headers of the response. Throws DpopProofError for a proof that is refused, or that the application needs and
 * does not send, and InvalidRequestError likewise for a certificate; `client` is absent where the grant needs none.
 */
export type ConfirmCaller = (
  req: IncomingMessage,
  client: BindingSettings | undefined,
  now: Date,
) => Promise<ConfirmedCaller>

type BindingSettings = Pick<Client, 'dpopBoundAccessTokens' | 'tlsClientCertificateBoundAccessTokens'>

interface ConfirmedCaller {
  readonly cnf: Confirmation | undefined
  /** Thumbprint of the certificate of the connection, to which tokens are bound only where the application wants it. */
  readonly certificate: string | undefined
  readonly headers: HeaderList
}

export function createConfirmCaller({
  issuer,
  requireProof,
  nonces,
  isNonceRequired,
}: {
  readonly issuer: string
  readonly requireProof: RequireProof
  readonly nonces: DpopNonces
  readonly isNonceRequired: () => Promise<boolean>
}): ConfirmCaller {
  const url = `${issuer}${ENDPOINT_PATHS.token}`
  return async (req, client, now) => {
    const header = dpopHeader(req)
    const certificate = clientCertificate(req)?.thumbprint
    if (client?.tlsClientCertificateBoundAccessTokens) {
      if (header !== undefined) throw proofBesideCertificate()
      if (certificate === undefined) throw certificateMissing()
      return { cnf: { 'x5t#S256': certificate }, certificate, headers: [] }
    }
    if (header === undefined) {
      if (client?.dpopBoundAccessTokens) throw proofMissing()
      return { cnf: undefined, certificate, headers: [] }
    }
    const { jkt } = await requireProof(header, { method: 'POST', url }, now)
    // RFC 9449 section 8.2: the nonce for the next request.
    const nonce = (await isNonceRequired()) ? nonces.current(now) : undefined
    return { cnf: { jkt }, certificate, headers: nonce === undefined ? [] : ['DPoP-Nonce', nonce] }
  }
}

/** Several headers arrive as one value with commas, which is no proof. */
function dpopHeader({ headers }: IncomingMessage): string | undefined {
  const { dpop } = headers
  return Array.isArray(dpop) ? dpop.join(', ') : dpop
}

/** A token is bound to one key: two would be two ways to use it where a resource checks one of them. */
function proofBesideCertificate(): InvalidRequestError {
  return new InvalidRequestError(
    'the application has tlsClientCertificateBoundAccessTokens: its tokens are bound to its certificate, so send no DPoP proof',
    { reason: 'dpop_beside_certificate' },
  )
}

function certificateMissing(): InvalidRequestError {
  return new InvalidRequestError(
    'the application has tlsClientCertificateBoundAccessTokens, and no certificate came with the request; call the endpoint of mtls_endpoint_aliases in discovery',
    { reason: 'client_certificate_missing' },
  )
}

function proofMissing(): DpopProofError {
  return new DpopProofError(
    'the application has dpopBoundAccessTokens: send a DPoP proof in the header DPoP',
    {
      reason: 'dpop_proof_missing',
      isResource: false,
    },
  )
}
