import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { RpcError } from '@signet/grpc/error'
import { SessionService } from '@signet/grpc/gen/login/v1/session_service_pb'
import { SignInService } from '@signet/grpc/gen/login/v1/sign_in_service_pb'
import { SubjectKind } from '@signet/grpc/gen/token/v1/bearer_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'
import { UI_LOCALES } from '@signet/protocol/authorization-parameters'
import { OAuthError, TemporarilyUnavailableError } from '@signet/protocol/errors'
import type { ExplainSignIn } from './authorize/explain-sign-in.ts'
import type { GateFinding } from './authorize/gates.ts'
import type { FindBranding } from './branding/find-branding.ts'
import type { FrameInLanguage } from './pages/page-frames.ts'
import type { RandomBytes } from './sessions/browser.ts'
import type { UserSessions } from './sessions/user-sessions.ts'
import { createSignInPagePreview, type PreviewSignInPage } from './sign-in/sign-in-preview.page.ts'
import {
  type AttemptStore,
  type ClearFailures,
  createClearFailures,
  createWaitReader,
  passwordCounter,
  type ThrottledAttempt,
} from './sign-in/throttle.ts'

/** Maps an unavailable store or service to UNAVAILABLE, so that the caller retries. */
async function mapUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof TemporarilyUnavailableError)
      throw new RpcError('UNAVAILABLE', error.message, { cause: error })
    throw error
  }
}

/** Serves `signet.login.v1.SessionService`. */
const sessionService = (sessions: UserSessions): RpcService =>
  rpcService(SessionService, {
    async listSessions({ userId }) {
      const found = await mapUnavailable(sessions.list(userId))
      return {
        sessions: found.map(
          ({
            sid,
            authenticatedAt,
            lastUsedAt,
            expiresAt,
            amr,
            signedInFrom,
            clientIds = [],
            impersonation,
          }) => ({
            sid,
            authTime: timestampFromMs(authenticatedAt),
            lastUsedAt: timestampFromMs(lastUsedAt),
            expiresAt: timestampFromMs(expiresAt),
            amr: [...amr],
            ...signedInFrom,
            clientIds: [...clientIds],
            ...(impersonation && {
              impersonatedBy: {
                administratorId: impersonation.administratorId,
                reason: impersonation.reason,
              },
            }),
          }),
        ),
      }
    },
    async endSession({ userId, sid, administrator, clientAddress }) {
      if (administrator === undefined) throw new RpcError('INVALID_ARGUMENT', 'administrator is required')
      const kind = administrator.kind === SubjectKind.HUMAN ? 'human' : 'service_user'
      const ending = {
        userId,
        sid,
        clientAddress,
        administrator: { userId: administrator.userId, kind },
      } as const
      const outcome = await mapUnavailable(sessions.end(ending))
      if (outcome === 'not_found') throw new RpcError('NOT_FOUND', 'the user has no such session')
      return {}
    },
  })

/** Serves `signet.login.v1.SignInService`. */
const signInService = (
  forgetFailures: ClearFailures,
  explain: ExplainSignIn,
  readWait: ReturnType<typeof createWaitReader>,
  previewPage: PreviewSignInPage,
): RpcService =>
  rpcService(SignInService, {
    async forgetFailures({ userId, attemptKey }) {
      if (userId === '') throw new RpcError('INVALID_ARGUMENT', 'user_id is required')
      await mapUnavailable(forgetFailures({ userId, attemptKey }))
      return {}
    },
    async explainSignIn({ attemptKey, maxPasswordAttempts, ...question }) {
      const counter = { counter: passwordCounter(attemptKey), freeFailures: maxPasswordAttempts }
      const [answer, waitSeconds] = await mapUnavailable(
        Promise.all([explain(question), attemptKey === '' ? 0 : readWait(counter)]),
      )
      if (answer === undefined) throw new RpcError('NOT_FOUND', 'there is no such active application')
      const { findings, droppedScopes } = answer
      return { findings: findings.map(findingMessage), waitSeconds, droppedScopes: [...droppedScopes] }
    },
    async previewSignInPage({ language, scheme, labelPolicy, loginTexts, ...page }) {
      const locale = UI_LOCALES.find((known) => known === language)
      if (locale === undefined) throw new RpcError('INVALID_ARGUMENT', 'language is none of the pages')
      const html = await previewPage({
        ...{ organizationId: page.organizationId, withProblem: page.withProblem, logo: page.logo },
        language: locale,
        scheme: scheme === 'dark' ? 'dark' : 'light',
        labelPolicy: JSON.parse(labelPolicy),
        loginTexts: loginTexts === undefined ? undefined : JSON.parse(loginTexts),
      })
      if (html === undefined) throw new RpcError('NOT_FOUND', 'there is no such organization')
      return { html }
    },
  })

function findingMessage({ gate, answer }: GateFinding) {
  if (answer === undefined) return { gate }
  if (!(answer instanceof OAuthError)) return { gate, asked: answer.kind }
  return { gate, refusedReason: answer.reason, projectId: answer.values.others?.project ?? '' }
}

/** The gRPC services of this service. */
export const loginRpcServices = (parts: {
  readonly userSessions: UserSessions
  readonly attemptStore: AttemptStore
  readonly attempt: ThrottledAttempt
  readonly explainSignIn: ExplainSignIn
  readonly branding: FindBranding
  readonly frameInLanguage: FrameInLanguage
  readonly random: RandomBytes
}): readonly RpcService[] => [
  sessionService(parts.userSessions),
  signInService(
    createClearFailures(parts.attemptStore),
    parts.explainSignIn,
    createWaitReader(parts.attempt),
    createSignInPagePreview(parts),
  ),
]
