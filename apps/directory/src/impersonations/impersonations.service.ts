import { ApiError } from '@signet/admin-api/api-error'
import { requireRecentSignIn, roleMissing } from '@signet/admin-api/require-role'
import type { ManagementCall, Tools } from '../api/management-call.ts'
import type { MemberStore } from '../permissions/member.repository.ts'
import { impersonatesAccounts } from '../permissions/permission.ts'
import type { ImpersonationStore } from './impersonation.repository.ts'
import {
  hashOfToken,
  IMPERSONATION_PATH,
  type ImpersonationRefusal,
  LINK_MS,
  refusedImpersonation,
} from './impersonation-rules.ts'

interface Stores {
  readonly impersonations: ImpersonationStore
  readonly members: MemberStore
}

interface NewImpersonation {
  readonly userId: string
  readonly reason: string
}

const TOKEN_BYTES = 32
/** The page of the link asks for the same of the session. */
const RECENT_SECONDS = 10 * 60

const RULES: Readonly<Record<Exclude<ImpersonationRefusal, 'impersonator_role_missing'>, string>> = {
  impersonation_off: 'enableImpersonation of the security policy is off',
  impersonation_not_allowed:
    'allowImpersonation of the login policy of the organization of the person is off',
  impersonation_of_oneself: 'userId is the caller',
  impersonation_of_no_person: 'userId is a service user; only people sign in',
  impersonation_of_inactive: 'the person or the organization is not active',
}

/**
 * Makes a link by which the caller signs in as a person, once, in a browser with a session of the caller. It takes the place of links
 * that the caller has not used. Rejects with ApiError when a rule refuses it.
 */
export function createImpersonation(
  call: ManagementCall<Stores>,
  { userId, reason }: NewImpersonation,
  { issuer, newId, now, random }: Pick<Tools, 'issuer' | 'newId' | 'now' | 'random'>,
) {
  const { caller } = call
  if (caller.kind !== 'human' || (caller.act ?? []).length > 0) {
    throw new ApiError(
      'FAILED_PRECONDITION',
      'only a person who signed in can open the link; call with an access token of your own',
      { reason: 'impersonation_caller' },
    )
  }
  requireRecentSignIn(caller, RECENT_SECONDS, now())
  return call.change(async ({ impersonations, members }) => {
    const account = await impersonations.findAccount(userId)
    if (account === undefined)
      throw new ApiError('NOT_FOUND', 'there is no such user', { reason: 'user_unknown' })
    const roles = await members.counting(userId)
    // The roles of a sign-in that is too old or too weak for the instance are not among those of the caller.
    const refused = refusedImpersonation({
      administratorId: caller.userId,
      ...{ held: caller.roles, account, roles },
    })
    if (refused === 'impersonator_role_missing') {
      throw roleMissing(impersonatesAccounts({ organizationId: account.organizationId }))
    }
    if (refused !== undefined) throw new ApiError('FAILED_PRECONDITION', RULES[refused], { reason: refused })
    const token = random(TOKEN_BYTES).toString('base64url')
    const expiresAt = new Date(now().getTime() + LINK_MS)
    const id = newId()
    await impersonations.add({
      ...{ id, administratorId: caller.userId, userId, reason, tokenHash: hashOfToken(token), expiresAt },
    })
    return {
      result: { id, url: `${issuer}${IMPERSONATION_PATH}?token=${token}`, expiresAt },
      details: { impersonation_id: id, reason },
    }
  })
}
