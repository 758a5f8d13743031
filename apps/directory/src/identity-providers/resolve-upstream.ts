// A sign-in with an identity that a provider asserts. The link of provider, issuer and subject finds the account, and an address
// never does (RFC 9700 section 4.15). A provider finds, makes and changes accounts of its own organization only.
import type { AuditRecorder } from '@signet/admin-api/audit/audit-recorder'
import type { Logger } from '@signet/platform/logger/logger'
import type { Clock } from '@signet/platform/runtime/clock'
import type { DailyUses } from '@signet/service/daily-uses'
import type { AttemptOrigin, ReportRefusedFactor } from '../credentials/sign-in-refusals.ts'
import { signInEvent } from '../credentials/verify-password.ts'
import type { RegistrationStore } from '../registration/registration.repository.ts'
import type { StoredProvider } from './identity-provider.ts'
import type { UpstreamAssertion } from './upstream-person.ts'
import { createUpstreamAccount, signInUpstream, type UpstreamSignIn } from './upstream-sign-in.ts'
import type { UpstreamStores, UpstreamTransact } from './upstream-stores.ts'

export interface UpstreamAttempt extends AttemptOrigin {
  readonly assertion: UpstreamAssertion
  /** The organization that the person signs in to; undefined: any. */
  readonly organizationId?: string | undefined
  /** The person was asked, and wants a new account. */
  readonly create: boolean
}

export type UpstreamRefusal =
  | 'assertion_incomplete'
  | 'provider_not_usable'
  | 'organization_other'
  | 'account_not_usable'
  | 'no_account'
  | 'user_name_taken'
  | 'user_name_invalid'
  | 'too_many_attempts'

interface RefusedPerson {
  readonly refusedRule: UpstreamRefusal
  /** The account that the identity is linked to. */
  readonly linked?: { readonly userId: string; readonly organizationId: string }
}

export type UpstreamOutcome =
  | UpstreamSignIn
  | RefusedPerson
  | { readonly unlinked: { readonly mayLink: boolean; readonly mayCreate: boolean } }

interface Dependencies {
  readonly transact: UpstreamTransact
  /** Whether a transaction failed since another account got the user name meanwhile. */
  readonly isNameTaken: (error: unknown) => boolean
  readonly registrations: RegistrationStore
  readonly audit: AuditRecorder
  readonly reportRefused: ReportRefusedFactor
  readonly providerUses: Pick<DailyUses, 'note'>
  readonly newId: () => string
  readonly now: Clock
  readonly logger: Logger
}

/** Accounts that people of one network try to get within an hour, without those that were made. */
const TRIES_PER_HOUR = 100

/** The rules whose names in the audit log are those of other sign-ins. */
const REASONS: { readonly [R in UpstreamRefusal]?: string } = { account_not_usable: 'account_not_active' }

/**
 * Finds the account of an asserted person, or makes one where the provider makes accounts. Of concurrent calls for one identity
 * one makes the account, and the others find it. A provider that is deactivated signs no person in afterwards.
 * Each attempt has an audit event.
 */
export function createResolveUpstream(dependencies: Dependencies) {
  const { audit, reportRefused, providerUses, logger } = dependencies
  return async (attempt: UpstreamAttempt): Promise<UpstreamOutcome> => {
    const outcome = await resolve(dependencies, attempt)
    if ('account' in outcome) providerUses.note(attempt.assertion.providerId)
    if ('refusedRule' in outcome) {
      const { clientAddress, assertion } = attempt
      const { providerId } = assertion
      const { refusedRule, linked: account } = outcome
      const reason = REASONS[refusedRule] ?? refusedRule
      await audit.record(
        signInEvent({
          ...{ factor: 'identity_provider', account, clientAddress, reason, providerId },
        }),
      )
      logger.info('upstream_refused', {
        ...{ reason, providerId, accountId: account?.userId, address: clientAddress },
      })
      reportRefused({ ...attempt, providerId }, reason, account?.userId)
    }
    return outcome
  }
}

async function resolve(dependencies: Dependencies, attempt: UpstreamAttempt): Promise<UpstreamOutcome> {
  const { transact, registrations, isNameTaken, now } = dependencies
  const { issuer, subject } = attempt.assertion
  if (issuer === '' || subject === '') return { refusedRule: 'assertion_incomplete' }
  const step = await transact((stores) => findUpstream(stores, attempt, dependencies))
  if (!('create' in step)) return step
  const { clientAddress } = attempt
  // The answer that a name is taken tells who has an account.
  if (!(await registrations.countTry(clientAddress, now(), TRIES_PER_HOUR, 'upstream_account')))
    return { refusedRule: 'too_many_attempts' }
  try {
    const outcome = await transact((stores) => findOrCreate(stores, attempt, dependencies))
    if ('account' in outcome) await registrations.forgetTry(clientAddress, 'upstream_account')
    return outcome
  } catch (error) {
    if (isNameTaken(error)) return { refusedRule: 'user_name_taken' }
    throw error
  }
}

/** Signs the person in, or says what stands in the way; `create`: the provider makes an account. */
export async function findUpstream(
  stores: UpstreamStores,
  attempt: UpstreamAttempt,
  dependencies: Pick<Dependencies, 'newId' | 'now'>,
): Promise<UpstreamOutcome | { readonly create: StoredProvider }> {
  const { assertion, organizationId, clientAddress } = attempt
  const { upstream } = stores
  const [provider, found] = await Promise.all([
    upstream.lockUsable(assertion.providerId),
    upstream.lockAccount(assertion),
  ])
  if (provider === undefined) return { refusedRule: 'provider_not_usable' }
  if (organizationId !== undefined && organizationId !== provider.organizationId)
    return { refusedRule: 'organization_other' }
  if (found?.active === false) return { refusedRule: 'account_not_usable', linked: found }
  if (found !== undefined)
    return signInUpstream(stores, { assertion, provider, clientAddress }, found, dependencies)
  const { linkingAllowed: mayLink, creationAllowed: mayCreate } = provider
  if (mayCreate && (attempt.create || !mayLink)) return { create: provider }
  return mayLink ? { unlinked: { mayLink, mayCreate } } : { refusedRule: 'no_account' }
}

/** Makes the account, unless another call made it meanwhile. */
export async function findOrCreate(
  stores: UpstreamStores,
  attempt: UpstreamAttempt,
  dependencies: Pick<Dependencies, 'newId' | 'now'>,
): Promise<UpstreamOutcome> {
  const { assertion, clientAddress } = attempt
  const { upstream } = stores
  await upstream.lockIdentity(assertion)
  const step = await findUpstream(stores, attempt, dependencies)
  if (!('create' in step)) return step
  const asserted = { assertion, provider: step.create, clientAddress }
  const refusedRule = await createUpstreamAccount(stores, asserted, dependencies)
  if (refusedRule !== undefined) return { refusedRule }
  const made = await upstream.lockAccount(assertion)
  if (made === undefined) throw new Error('the account that was added is not there')
  return signInUpstream(stores, asserted, made, dependencies)
}
