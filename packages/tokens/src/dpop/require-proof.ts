import { createHash } from 'node:crypto'
import type { ReplayGuard } from '@signet/platform/redis/replay-guard'
import { DpopProofError, TemporarilyUnavailableError } from '@signet/protocol/errors'
import { type DpopNonces, REPLICA_TOLERANCE_SECONDS } from './nonce.ts'
import {
  createVerifyProof,
  type DpopProof,
  PROOF_WINDOW_SECONDS,
  ProofRefusal,
  type ProvenRequest,
} from './proof.ts'

/**
 * Returns the proof of a request, once: of any number of uses, at all services and replicas, one succeeds (RFC 9449 section 11.1).
 * Throws DpopProofError for another one, and TemporarilyUnavailableError when Redis does not respond. With an access token
 * the endpoint is a resource.
 */
export type RequireProof = (header: string, request: ProvenRequest, now: Date) => Promise<DpopProof>

export function createRequireProof({
  guard,
  nonces,
  isNonceRequired,
}: {
  /** The guard of `dpop-proof`. */
  readonly guard: ReplayGuard
  /** Absent at a service that has no key for them. */
  readonly nonces?: DpopNonces
  readonly isNonceRequired: () => Promise<boolean>
}): RequireProof {
  const verify = createVerifyProof()

  return async (header, request, now) => {
    const isResource = request.accessToken !== undefined
    const refused = (rule: string, reason: string, { cause, nonce }: Refusal = {}) =>
      new DpopProofError(`the DPoP proof is refused: ${rule}`, { reason, cause, nonce, isResource })
    const proof = await verify(header, request, now).catch((error: unknown) => {
      if (!(error instanceof ProofRefusal)) throw error
      throw refused(error.message, error.reason, error)
    })
    const nonceIssuedAt = proof.nonce === undefined ? undefined : nonces?.issuedAt(proof.nonce, now)
    if (nonces !== undefined && nonceIssuedAt === undefined && (await isNonceRequired())) {
      throw refused('it needs the nonce of the header DPoP-Nonce', 'dpop_nonce_required', {
        nonce: nonces.current(now),
      })
    }
    switch (await guard.admit(singleUse(proof, nonceIssuedAt), now).catch(unreachable)) {
      case 'first':
        return proof
      case 'used':
        throw refused('it was used before; make a new one for each call', 'dpop_proof_replayed')
      case 'unrecorded':
        // A nonce of now shows that the next proof is newer than the records.
        throw refused('it may have been used before; make a new one', 'dpop_proof_unrecorded', {
          nonce: nonces?.current(now),
        })
    }
  }
}

interface Refusal {
  readonly cause?: unknown
  readonly nonce?: string | undefined
}

/** A proof is younger than its nonce, which tells its age by a clock of ours. */
function singleUse({ jkt, jti, issuedAt }: DpopProof, nonceIssuedAt: number | undefined) {
  return {
    owner: jkt,
    id: createHash('sha256').update(jti).digest('base64url'),
    issuedAt,
    madeAfter: nonceIssuedAt === undefined ? undefined : nonceIssuedAt - REPLICA_TOLERANCE_SECONDS,
    expiresAt: issuedAt + PROOF_WINDOW_SECONDS,
  }
}

function unreachable(cause: unknown): never {
  throw new TemporarilyUnavailableError('The DPoP proof cannot be checked for reuse now; repeat the call', {
    reason: 'replay_guard_unreachable',
    cause,
  })
}
