import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt'
import { unavailableError } from '@signet/admin-api/api-error'
import type { RpcClient } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import type { SessionService } from '@signet/grpc/gen/login/v1/session_service_pb'
import type { SignInService } from '@signet/grpc/gen/login/v1/sign_in_service_pb'
import { SubjectKind } from '@signet/grpc/gen/token/v1/bearer_service_pb'
import type { ForgetFailures } from '../accounts/account.ts'
import type { AttemptKeys } from '../credentials/attempt-keys.ts'
import type { SessionKeeper } from '../sessions/session.ts'

/** Calls login; when that is away, rejects with ApiError UNAVAILABLE and this text. */
async function reachLogin<T>(message: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const isAway = cause instanceof RpcError && ['UNAVAILABLE', 'DEADLINE_EXCEEDED'].includes(cause.code)
    if (!isAway) throw cause
    throw unavailableError(message, { reason: 'login_unavailable', cause })
  }
}

// A thousand browsers at most.
const LIST_TIMEOUT_MS = 5_000
// Login waits for token, which has five seconds.
const END_TIMEOUT_MS = 7_000

/** The sessions that login keeps. */
export function sessionKeeper(sessions: RpcClient<typeof SessionService>): SessionKeeper {
  return {
    async list(userId) {
      const { sessions: found } = await reachLogin(
        'the sessions cannot be listed right now; repeat the call',
        () => sessions.listSessions({ userId }, { timeoutMs: LIST_TIMEOUT_MS }),
      )
      return found.map(({ sid, authTime, lastUsedAt, expiresAt, amr }) => ({
        id: sid,
        authenticatedAt: dateOf(authTime),
        lastUsedAt: dateOf(lastUsedAt),
        expiresAt: dateOf(expiresAt),
        amr,
      }))
    },
    async end({ userId, sessionId, administrator, clientAddress }) {
      const request = {
        userId,
        sid: sessionId,
        clientAddress,
        administrator: {
          userId: administrator.userId,
          kind: administrator.kind === 'human' ? SubjectKind.HUMAN : SubjectKind.SERVICE_USER,
        },
      }
      try {
        await reachLogin('the session may not have ended everywhere; repeat the call', () =>
          sessions.endSession(request, { timeoutMs: END_TIMEOUT_MS }),
        )
        return 'ended'
      } catch (error) {
        if (error instanceof RpcError && error.code === 'NOT_FOUND') return 'not_found'
        throw error
      }
    },
  }
}

function dateOf(time: Timestamp | undefined): Date {
  if (time === undefined) throw new Error('login tells no time of a session')
  return timestampDate(time)
}

const TIMEOUT_MS = 2_000

/** Login counts the failures. */
export function failureForgetter(
  signIns: RpcClient<typeof SignInService>,
  keys: AttemptKeys,
): ForgetFailures {
  return async (userId) => {
    const attemptKey = keys.ofAccount(userId)
    await reachLogin(
      'the user is unlocked, but failed sign-ins may still make the next one wait; repeat the call',
      () => signIns.forgetFailures({ userId, attemptKey }, { timeoutMs: TIMEOUT_MS }),
    )
  }
}
