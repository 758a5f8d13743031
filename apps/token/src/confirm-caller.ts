import type { IncomingMessage } from 'node:http'
import type { Client } from '@signet/directory-reader/views'
import type { HeaderList } from '@signet/http/endpoint'
import { DpopProofError } from '@signet/protocol/errors'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import type { Confirmation } from '@signet/tokens/access-token'
import type { DpopNonces } from '@signet/tokens/dpop/nonce'
import type { RequireProof } from '@signet/tokens/dpop/require-proof'

/**
 * Returns the key that the caller of the token endpoint proves, to which the access token is bound (RFC 9449 section 5), and the
 * headers of the response. Throws DpopProofError for a proof that is refused, or that the application needs and does not
 * send; `client` is absent where the grant needs none.
 */
export type ConfirmCaller = (
  req: IncomingMessage,
  client: Pick<Client, 'dpopBoundAccessTokens'> | undefined,
  now: Date,
) => Promise<{ readonly cnf: Confirmation | undefined; readonly headers: HeaderList }>

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
    if (header === undefined) {
      if (client?.dpopBoundAccessTokens) throw proofMissing()
      return { cnf: undefined, headers: [] }
    }
    const { jkt } = await requireProof(header, { method: 'POST', url }, now)
    // RFC 9449 section 8.2: the nonce for the next request.
    const nonce = (await isNonceRequired()) ? nonces.current(now) : undefined
    return { cnf: { jkt }, headers: nonce === undefined ? [] : ['DPoP-Nonce', nonce] }
  }
}

/** Several headers arrive as one value with commas, which is no proof. */
function dpopHeader({ headers }: IncomingMessage): string | undefined {
  const { dpop } = headers
  return Array.isArray(dpop) ? dpop.join(', ') : dpop
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
