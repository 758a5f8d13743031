import { emailAddressKey } from '@signet/protocol/email-address'
import { userNameKey } from '@signet/protocol/user-name'
import { type PageQuery, seenCondition } from '../database/row-statement.ts'
import type { SeenObjects } from '../permissions/seen-objects.ts'
import type { PageRequest } from '../schema/paging.ts'
import type { Account, AccountState } from './account.ts'

export interface AccountFilter {
  readonly organizationId?: string | undefined
  readonly kind?: Account['kind'] | undefined
  readonly state?: AccountState | undefined
  readonly userName?: string | undefined
  readonly email?: string | undefined
  readonly hasCredentials?: 'true' | 'false' | undefined
  readonly hasSecondFactor?: 'true' | 'false' | undefined
  readonly notInvitedSince?: Date | undefined
  /** Part of the user name, the display name or the address, in any case. */
  readonly search?: string | undefined
}

/**
 * SQL: whether the account `a`, with its row `p` of passwords or none, has a password or a passkey that signs in. A second factor alone
 * is no way in.
 */
export const HAS_CREDENTIALS = `(p.user_id IS NOT NULL OR EXISTS (
  SELECT FROM directory.passkey k WHERE k.user_id = a.user_id AND k.cloned_at IS NULL))`

/** SQL: whether the account `a` has an authenticator app or a passkey that was not copied. */
const HAS_SECOND_FACTOR = `(EXISTS (SELECT FROM directory.account_totp t WHERE t.user_id = a.user_id)
  OR EXISTS (SELECT FROM directory.passkey k WHERE k.user_id = a.user_id AND k.cloned_at IS NULL))`

/** SQL: whether no invitation was sent since `time`, nor one waits; one that was given up does not count. */
const wasNotInvitedSince = (time: string) => `NOT EXISTS (
  SELECT FROM directory.mail_delivery d
   WHERE d.user_id = a.user_id AND d.created_at >= ${time} AND d.kind = 'invitation'
     AND d.outcome IS DISTINCT FROM 'given_up')`

/** Words of the code, and never of a caller, in the text of a statement. */
const KINDS = { human: 'human', service_user: 'service_user' } as const satisfies Record<
  Account['kind'],
  string
>
const BOOLEANS = { true: 'true', false: 'false' } as const
const STATES = { active: 'active', inactive: 'inactive', locked: 'locked' } as const satisfies Record<
  AccountState,
  string
>

/** The part of a list of accounts `a`, with their rows `p` of passwords or none, that a filter leaves; without the search. */
export function filteredAccounts(
  filter: AccountFilter,
  request: PageRequest,
  seen: SeenObjects | undefined,
): Pick<PageQuery, 'key' | 'keyMember' | 'filters' | 'conditions' | 'request'> {
  const { organizationId, userName, email } = filter
  return {
    key: 'a.user_id',
    keyMember: 'id',
    filters: {
      'a.organization_id': organizationId,
      'a.user_name_key': userName && userNameKey(userName),
      'a.email_key': email && emailAddressKey(email),
    },
    conditions: conditionsOf(filter, seen),
    request,
  }
}

function conditionsOf(
  { kind, state, hasCredentials, hasSecondFactor, notInvitedSince }: AccountFilter,
  seen: SeenObjects | undefined,
) {
  return {
    // Written out: the indexes account_not_active and account_service_user know only the values of their own.
    ...(kind && { [`kind_${kind}`]: { text: () => `a.kind = '${KINDS[kind]}'`, values: [] } }),
    ...(state && { [`state_${state}`]: { text: () => `a.state = '${STATES[state]}'`, values: [] } }),
    ...credentialConditions({ hasCredentials, hasSecondFactor }),
    not_invited_since: {
      text: (place: string) => `a.kind = 'human' AND ${wasNotInvitedSince(place)}`,
      values: notInvitedSince && [notInvitedSince],
    },
    seen: seenCondition(seen, { organization: 'a.organization_id' }),
  }
}

/**
 * Written out, so that people without a password are an anti join. With a parameter PostgreSQL looks for the password of each person:
 * a second instead of more than the time limit among 100,000 people who all have one.
 */
const credentialConditions = ({
  hasCredentials,
  hasSecondFactor,
}: Pick<AccountFilter, 'hasCredentials' | 'hasSecondFactor'>) => ({
  ...(hasCredentials && {
    [`has_credentials_${hasCredentials}`]: {
      text: () => `a.kind = 'human' AND ${HAS_CREDENTIALS} = ${BOOLEANS[hasCredentials]}`,
      values: [],
    },
  }),
  ...(hasSecondFactor && {
    [`has_second_factor_${hasSecondFactor}`]: {
      text: () => `a.kind = 'human' AND ${HAS_SECOND_FACTOR} = ${BOOLEANS[hasSecondFactor]}`,
      values: [],
    },
  }),
})
