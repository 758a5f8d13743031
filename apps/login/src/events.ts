import type { IncomingMessage } from 'node:http'
import { requestId } from '@signet/http/request-context'
import type { Logger } from '@signet/platform/logger/logger'

/** The log events of sign-in and sign-out. */
export interface LoginEvents {
  signedIn(req: IncomingMessage, session: { readonly userId: string; readonly sid: string }): void
  registered(req: IncomingMessage, session: { readonly userId: string; readonly sid: string }): void
  /** Logs neither user nor reason: the login name may be a mistyped password. */
  signInRefused(req: IncomingMessage): void
  /** Logs the rule that refused the answer of an identity provider. */
  upstreamRefused(
    req: IncomingMessage,
    refused: { readonly providerId: string; readonly reason: string },
  ): void
  signedOut(req: IncomingMessage, ended: { readonly sids: readonly string[] }): void
}

export function loginEvents(logger: Logger): LoginEvents {
  return {
    signedIn: (req, { userId, sid }) =>
      logger.info('signed_in', { requestId: requestId(req), userId, sessionId: sid }),
    registered: (req, { userId, sid }) =>
      logger.info('registered', { requestId: requestId(req), userId, sessionId: sid }),
    signInRefused: (req) => logger.info('sign_in_refused', { requestId: requestId(req) }),
    upstreamRefused: (req, { providerId, reason }) =>
      logger.info('upstream_sign_in_refused', { requestId: requestId(req), providerId, reason }),
    signedOut: (req, { sids }) =>
      logger.info('signed_out', { requestId: requestId(req), sessionId: sids, count: sids.length }),
  }
}
