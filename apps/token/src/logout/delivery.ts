import type { Logger } from '@signet/platform/logger/logger'
import { OutboundError } from '@signet/platform/outbound-http/guarded-agents'
import type { PostForm } from '@signet/platform/outbound-http/post-form'
import type { Clock } from '@signet/platform/runtime/clock'
import { LOGOUT_TOKEN_TYP, logoutTokenClaims } from '@signet/tokens/logout-token'
import { logoutGivenUpEvent } from '../audit-events.ts'
import type { TokenKeys } from '../token-keys.ts'
import type { LogoutDelivery, LogoutOutbox } from './outbox-repository.ts'

interface Deps {
  readonly issuer: string
  readonly outbox: LogoutOutbox
  readonly keys: Pick<TokenKeys, 'sign'>
  readonly postForm: PostForm
  readonly logger: Logger
  readonly now: Clock
  /** Called after each try. */
  readonly count: (outcome: TryOutcome) => void
}

/** How a try ended: the last one that fails gives up. */
export type TryOutcome = 'delivered' | 'postponed' | 'given_up'

/** The number of logout tokens that are sent at the same time. */
const AT_ONCE = 50

/** The result of one try. */
type Answer = { readonly accepted: true } | { readonly accepted: false; readonly reason: string }

/**
 * One round of Back-Channel Logout 1.0: sends the logout tokens that are due. Any number of replicas may run
 * it at once. A delivery without a stored result is sent again, so an application may receive one logout
 * twice, under the same `jti`. Stops early when `signal` is aborted.
 */
export async function deliverLogouts(deps: Deps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const due = await deps.outbox.claim(AT_ONCE, deps.now())
    const outcomes = await Promise.allSettled(due.map((delivery) => deliver(deps, delivery)))
    const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    // They are claimed again when their lease has expired.
    if (errors.length > 0) throw new AggregateError(errors, 'not every logout could be sent or noted')
    if (due.length < AT_ONCE) return
  }
}

async function deliver(deps: Deps, delivery: LogoutDelivery): Promise<void> {
  const { issuer, outbox, keys, now, logger, count } = deps
  const claims = logoutTokenClaims({ issuer, ...delivery }, now())
  const token = await keys.sign(delivery.signingAlg, LOGOUT_TOKEN_TYP, claims)
  const answer = await send(deps, delivery.uri, token)
  const attempt = delivery.failures + 1
  const { clientId, sid: sessionId, userId } = delivery
  const fields = { clientId, sessionId, userId, attempt }
  if (answer.accepted) {
    await outbox.delivered(delivery)
    count('delivered')
    logger.info('logout_delivered', fields)
    return
  }
  const { reason } = answer
  const dueAt = nextTry(attempt, now())
  if (dueAt === undefined) {
    await outbox.giveUp(delivery, logoutGivenUpEvent(delivery, reason))
    count('given_up')
    logger.error('logout_given_up', { ...fields, reason })
  } else {
    await outbox.postpone(delivery, dueAt)
    count('postponed')
    logger.warn('logout_not_delivered', { ...fields, reason })
  }
}

/** Section 2.8: 200 is success, and 204 from frameworks that answer so where there is no body. */
async function send({ postForm }: Deps, uri: string, token: string): Promise<Answer> {
  try {
    const status = await postForm(uri, { logout_token: token })
    return status >= 200 && status < 300
      ? { accepted: true }
      : { accepted: false, reason: `status_${status}` }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { accepted: false, reason: error.reason }
  }
}

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS

/** How long to wait after each failure; the first try is made at once. After the last there is no other. */
const DELAYS_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 60 * MINUTE_MS]

/** When to try again after so many failures, the latest of them just now; undefined when it is time to give up. */
function nextTry(failures: number, now: Date): Date | undefined {
  const delayMs = DELAYS_MS[failures - 1]
  return delayMs === undefined ? undefined : new Date(now.getTime() + delayMs)
}
