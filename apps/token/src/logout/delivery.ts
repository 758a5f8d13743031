import type { Logger } from '@signet/platform/logger/logger'
import { OutboundError } from '@signet/platform/outbound-http/guarded-agents'
import type { PostForm } from '@signet/platform/outbound-http/http-calls'
import type { Attempt, Deliveries, TryOutcome } from '@signet/platform/outbox/deliver'
import type { Outbox } from '@signet/platform/outbox/outbox.repository'
import type { Clock } from '@signet/platform/runtime/clock'
import { auditTable, logoutGivenUpEvent } from '../audit-events.ts'
import type { TokenKeys } from '../token-keys.ts'
import type { LogoutDelivery } from './outbox.repository.ts'

interface Deps {
  readonly issuer: string
  readonly outbox: Outbox<LogoutDelivery>
  readonly keys: Pick<TokenKeys, 'sign'>
  readonly postForm: PostForm
  readonly logger: Logger
  readonly now: Clock
  /** Called after each try. */
  readonly count: (outcome: TryOutcome) => void
}

const LINES = {
  delivered: ['info', 'logout_delivered'],
  postponed: ['warn', 'logout_not_delivered'],
  given_up: ['error', 'logout_given_up'],
} as const

/** The deliveries of Back-Channel Logout 1.0: a repeated logout token has the same `jti`. */
export function createLogoutDeliveries(deps: Deps): Deliveries<LogoutDelivery> {
  const { outbox, logger, now, count } = deps
  return {
    outbox,
    now,
    deliver: (delivery) => deliver(deps, delivery),
    recordGivenUp: (tx, delivery, reason) => auditTable.record(tx, logoutGivenUpEvent(delivery, reason)),
    report({ delivery: { clientId, sid: sessionId, userId }, outcome, attempt, reason }) {
      count(outcome)
      const [level, message] = LINES[outcome]
      logger[level](message, {
        clientId,
        sessionId,
        userId,
        attempt,
        ...(reason !== undefined && { reason }),
      })
    },
    onError: (error) => logger.warn('logout_delivery_failed', { error }),
  }
}

/** Section 2.8: 200 is success, and 204 from frameworks that answer so where there is no body. */
async function deliver({ issuer, keys, now, postForm }: Deps, delivery: LogoutDelivery): Promise<Attempt> {
  const claims = logoutTokenClaims({ issuer, ...delivery }, now())
  const token = await keys.sign(delivery.signingAlg, LOGOUT_TOKEN_TYP, claims)
  try {
    const status = await postForm(delivery.uri, { logout_token: token })
    return status >= 200 && status < 300
      ? { accepted: true }
      : { accepted: false, reason: `status_${status}` }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { accepted: false, reason: error.reason }
  }
}

/** OpenID Connect Back-Channel Logout 1.0 section 2.4: `typ` distinguishes it from every other JWT. */
const LOGOUT_TOKEN_TYP = 'logout+jwt'

const LIFETIME_SECONDS = 120
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

interface LogoutToken {
  readonly issuer: string
  readonly clientId: string
  readonly userId: string
  readonly sid: string
  /** The same for every copy that is sent of one logout to one application. */
  readonly id: string
}

/** The claims of a logout token (Back-Channel Logout 1.0 section 2.4). There is never a `nonce`: it is no ID token. */
function logoutTokenClaims({ issuer, clientId, userId, sid, id }: LogoutToken, now: Date): object {
  const issuedAt = Math.floor(now.getTime() / 1000)
  return {
    iss: issuer,
    sub: userId,
    aud: clientId,
    iat: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
    jti: id,
    sid,
    events: { [EVENT]: {} },
  }
}
