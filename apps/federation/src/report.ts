import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { Clock } from '@signet/platform/runtime/clock'
import type { Refused, Rule } from './conversation/refusal.ts'
import type { Step } from './grpc.ts'
import { createRefusingProviders } from './refusing-providers.ts'

/**
 * Returns the function that logs each refusal once and counts how steps of sign-ins end. No label names a provider, since the series
 * would grow with the organizations: the log has its id.
 */
export function createReport(logger: Logger, metrics: Metrics | undefined, now: Clock) {
  const refusing = createRefusingProviders(now)
  metrics?.gauge(
    {
      name: 'signet_upstream_providers_refusing',
      help: 'Identity providers of which this process refused the last five sign-ins, within 15 minutes.',
      labels: [],
    },
    () => [{ labels: {}, value: refusing.count() }],
  )
  const count = metrics?.counter({
    name: 'signet_upstream_sign_ins_total',
    help: 'Steps of sign-ins by identity providers, by outcome and the rule that refused.',
    labels: ['step', 'outcome', 'rule'],
  })
  return (step: Step, providerId: string, refused: Refused | undefined): void => {
    count?.({ step, outcome: outcomeOf(refused), rule: refused?.rule ?? '' })
    if (saysWhetherProviderWorks(step, refused) && refusing.ended(providerId, refused?.rule)) {
      logger.warn('identity_provider_refuses_everybody', { providerId, rule: refused?.rule })
    }
    if (refused === undefined) return
    const { rule, received, expected } = refused
    const fields = { stage: step, providerId, rule, received, expected }
    if (refused.declined) logger.info('upstream_sign_in_declined', fields)
    else if (refused.isCredential) logger.info('upstream_password_refused', fields)
    else if (refused.temporary) logger.warn('upstream_sign_in_failed', { ...fields, error: refused.cause })
    else logger.warn('upstream_sign_in_refused', { ...fields, error: refused.cause })
  }
}

/** The steps of a sign-in. The value is whether a person has signed in when it succeeds. */
const ENDS_SIGN_IN: Readonly<Partial<Record<Step, boolean>>> = {
  begin: false,
  complete: true,
  find: false,
  password: true,
}

function saysWhetherProviderWorks(step: Step, refused: Refused | undefined): boolean {
  const endsSignIn = ENDS_SIGN_IN[step]
  if (refused === undefined) return endsSignIn === true
  return endsSignIn !== undefined && !isOfBrowser(refused)
}

/** Rules that a browser breaks without the provider, alone or with many sign-ins at once. */
const OF_BROWSER: ReadonlySet<Rule> = new Set<Rule>([
  ...(['request_unknown', 'request_expired', 'request_unreadable', 'browser_differs'] as const),
  ...(['provider_differs', 'purpose_differs', 'response_malformed', 'response_issuer_differs'] as const),
  ...(['response_too_large', 'response_unsolicited', 'request_differs'] as const),
  ...(['too_many_under_way', 'too_many_requests'] as const),
])

/** The errors of a token endpoint that are about the client and not about the code, or the status alone. */
const OF_CLIENT: ReadonlySet<string> = new Set([
  // RFC 6749 section 5.2.
  ...['invalid_client', 'unauthorized_client', 'unsupported_grant_type', '401'],
  // GitHub has codes of its own.
  ...['incorrect_client_credentials', 'redirect_uri_mismatch', 'application_suspended'],
])

/** Whether a browser without an account at the provider can cause the refusal at will, while the provider works. */
const isOfBrowser = ({ rule, received, declined, isCredential, isUnproven }: Refused) =>
  declined ||
  isCredential ||
  isUnproven ||
  OF_BROWSER.has(rule) ||
  (rule === 'token_refused' && !OF_CLIENT.has(received))

function outcomeOf(refused: Refused | undefined): string {
  if (refused === undefined) return 'done'
  // A wrong password says nothing about the provider.
  if (refused.declined || refused.isCredential) return 'declined'
  return refused.temporary ? 'temporary' : 'refused'
}
