import { createHash } from 'node:crypto'
import type { Redis } from '@signet/platform/redis/connection'
import { createReplayGuard } from '@signet/platform/redis/replay-guard'
import type { Clock } from '@signet/platform/runtime/clock'
import { InvalidClientError, TemporarilyUnavailableError } from '@signet/protocol/errors'
import { isClientIdUrl } from '@signet/tokens/identifiers'
import type { AssertionReplayGuard } from './authenticate-client.ts'
import { SIGNER_TOLERANCE_SECONDS } from './signed-assertion.ts'

/** A guard that all services share: an assertion that one endpoint accepted is refused by every other one. */
export function createAssertionReplayGuard(redis: Redis, clock: Clock): AssertionReplayGuard {
  const guard = createReplayGuard(redis, clock, 'client-assertion')
  return {
    async admit(clientId, { replayId, issuedAt, expiresAt }, now) {
      // Names in a key of Redis have no separators.
      const owner = isClientIdUrl(clientId)
        ? createHash('sha256').update(clientId).digest('base64url')
        : clientId
      const use = { owner, id: replayId, issuedAt, expiresAt: expiresAt + SIGNER_TOLERANCE_SECONDS }
      const verdict = await guard.admit(use, now).catch((cause: unknown) => {
        throw new TemporarilyUnavailableError(
          'The assertion cannot be checked for reuse now; repeat the call',
          { reason: 'replay_guard_unreachable', cause },
        )
      })
      if (verdict !== 'first') throw REFUSALS[verdict]()
    },
  }
}

const REFUSALS = {
  used: () =>
    new InvalidClientError('client_assertion was used before; make a new one for each call', {
      reason: 'assertion_replayed',
      basicTried: false,
    }),
  unrecorded: () =>
    new InvalidClientError(
      'client_assertion was issued before the server began to record used assertions; make a new one for each call',
      { reason: 'assertion_unrecorded', basicTried: false },
    ),
}
