import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt'
import { unavailableError } from '@signet/admin-api/api-error'
import { REPEATED_CALL_TIMEOUT_MS, type RpcClient } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import type { SessionService } from '@signet/grpc/gen/login/v1/session_service_pb'
import type { SignInService } from '@signet/grpc/gen/login/v1/sign_in_service_pb'
import { SubjectKind } from '@signet/grpc/gen/token/v1/bearer_service_pb'
import type { Places } from '@signet/service/places'
import type { ExplainSignIn } from '../access/sign-in-explanation.ts'
import type { ResetFailures } from '../accounts/account.ts'
import type { AttemptKeys } from '../credentials/attempt-keys.ts'
import type { PreviewSignInPage } from '../login-texts/branding-preview.ts'
import type { SessionClient } from '../sessions/session.ts'

/** Calls login; when that is away, rejects with ApiError UNAVAILABLE and this text. */
async function callLogin<T>(message: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const isAway =
      cause instanceof RpcError && ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'UNIMPLEMENTED'].includes(cause.code)
    if (!isAway) throw cause
    throw unavailableError(message, { reason: 'login_unavailable', cause })
  }
}

// Login waits for token, which has five seconds.
const END_TIMEOUT_MS = 7_000

/** Lists and ends the browser sessions, which login stores. */
export function createSessionClient(
  sessions: RpcClient<typeof SessionService>,
  places: Pick<Places, 'find'>,
): SessionClient {
  return {
    async list(userId) {
      const { sessions: found } = await callLogin(
        'the sessions cannot be listed right now; repeat the call',
        () => sessions.listSessions({ userId }, { timeoutMs: REPEATED_CALL_TIMEOUT_MS }),
      )
      return found.map(
        ({ sid, authTime, lastUsedAt, expiresAt, amr, clientIds, impersonatedBy, ...from }) => ({
          id: sid,
          authenticatedAt: dateOf(authTime),
          lastUsedAt: dateOf(lastUsedAt),
          expiresAt: dateOf(expiresAt),
          amr,
          browser: from.browser || undefined,
          system: from.system || undefined,
          clientAddress: from.clientAddress || undefined,
          place: places.find(from.clientAddress, 'en'),
          clientIds,
          impersonatedBy: impersonatedBy && {
            administratorId: impersonatedBy.administratorId,
            reason: impersonatedBy.reason,
          },
        }),
      )
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
        await callLogin('the session may not have ended everywhere; repeat the call', () =>
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
  if (time === undefined) throw new Error('login sent a session without a time')
  return timestampDate(time)
}

/** Asks login, whose gates decide about sign-ins. */
export function createSignInExplainer(signIns: RpcClient<typeof SignInService>): ExplainSignIn {
  return async (question) => {
    try {
      const { findings, waitSeconds, droppedScopes } = await callLogin(
        'the sign-in cannot be evaluated right now; repeat the call',
        () => signIns.explainSignIn(question, { timeoutMs: END_TIMEOUT_MS }),
      )
      return {
        findings: findings.map(({ gate, refusedReason, asked, projectId }) => ({
          ...{ gate, refusedReason, asked, projectId },
        })),
        waitSeconds,
        droppedScopes,
      }
    } catch (error) {
      if (error instanceof RpcError && error.code === 'NOT_FOUND') return undefined
      throw error
    }
  }
}

/** Asks login, whose pages they are. */
export function createSignInPagePreviewClient(signIns: RpcClient<typeof SignInService>): PreviewSignInPage {
  return async ({ labelPolicy, loginTexts, logo, ...page }) => {
    try {
      const { html } = await callLogin('the page cannot be shown right now; repeat the call', () =>
        signIns.previewSignInPage(
          {
            ...page,
            labelPolicy: JSON.stringify(labelPolicy),
            ...(loginTexts !== undefined && { loginTexts: JSON.stringify(loginTexts) }),
            ...(logo !== undefined && { logo }),
          },
          { timeoutMs: REPEATED_CALL_TIMEOUT_MS },
        ),
      )
      return html
    } catch (error) {
      if (error instanceof RpcError && error.code === 'NOT_FOUND') return undefined
      throw error
    }
  }
}

/** Resets the failed sign-ins of an account, which login counts. */
export function createFailureReset(
  signIns: RpcClient<typeof SignInService>,
  keys: AttemptKeys,
): ResetFailures {
  return async (userId) => {
    const attemptKey = keys.ofAccount(userId)
    await callLogin(
      'the user is unlocked, but failed sign-ins may still make the next one wait; repeat the call',
      () => signIns.forgetFailures({ userId, attemptKey }, { timeoutMs: REPEATED_CALL_TIMEOUT_MS }),
    )
  }
}
