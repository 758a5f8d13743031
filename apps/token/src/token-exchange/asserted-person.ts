// The person whom an identity assertion is about: draft-ietf-oauth-identity-assertion-authz-grant section 4.3 takes an ID token or a
// refresh token of the client as subject token.

import type { Account, Client } from '@signet/directory-reader/views'
import { InvalidRequestError, type RefusedValues } from '@signet/protocol/errors'
import { GRANT_TYPES, TOKEN_TYPES } from '@signet/protocol/grant-types'
import type { Confirmation } from '@signet/tokens/access-token'
import { readRefreshToken } from '@signet/tokens/refresh-token'
import { reuseEvent } from '../audit-events.ts'
import type { EndingStore } from '../ending-store.ts'
import type { FamilyQueue } from '../family-queue.ts'
import type { Grant, GrantStore } from '../grant-store.ts'
import { confirmationText, refreshWindows } from '../issuance/new-grant.ts'
import { audienceOf, requireProjectAccess } from '../issuance/scopes.ts'
import type { PublishEndings } from '../revocation/revocation-log-writer.ts'
import type { TokenKeys } from '../token-keys.ts'
import { createIdTokenParty, type PartyDeps } from './party.ts'

export interface AssertedPersonDeps extends PartyDeps {
  readonly keys: PartyDeps['keys'] & Pick<TokenKeys, 'refreshKeyOf'>
  readonly grants: GrantStore
  readonly endings: EndingStore
  readonly publish: PublishEndings
  readonly families: FamilyQueue
}

/** A subject token with the client that presents it. */
export interface Presented {
  readonly client: Client
  readonly token: string
  readonly type: string
  readonly now: Date
  readonly clientAddress: string
  /** The key that the client has proven. */
  readonly cnf: Confirmation | undefined
}

/** A person who signed in to the client, with what is known of the sign-in. Times are seconds since 1970. */
export interface AssertedPerson {
  readonly account: Account
  /** When the subject token ends. */
  readonly expiresAt: number
  readonly authTime?: number
  readonly amr: readonly string[]
  readonly acr?: string
}

/** Returns the person of a subject token whom the project of the client lets in. Throws InvalidRequestError for any other. */
export async function requireAssertedPerson(
  deps: AssertedPersonDeps,
  presented: Presented,
): Promise<AssertedPerson> {
  if (presented.type === TOKEN_TYPES.idToken) return personOfIdToken(deps, presented)
  if (presented.type === TOKEN_TYPES.refreshToken) return personOfRefreshToken(deps, presented)
  throw new InvalidRequestError(
    'subject_token_type must be that of an ID token or of a refresh token for an identity assertion',
    { reason: 'subject_token_type' },
  )
}

/** An ID token that a browser session of this client led to, while the client has access. */
async function personOfIdToken(
  deps: AssertedPersonDeps,
  { client, token, now }: Presented,
): Promise<AssertedPerson> {
  const party = await createIdTokenParty(deps)(token, client, now)
  const sid = party?.origins.map((origin) => origin.sid).find((one) => one !== undefined)
  if (party === undefined || sid === undefined || party.account.kind !== 'human') throw refused()
  const { account, expiresAt = 0, authTime, amr, acr } = party
  const holder = { sid, userId: account.userId, clientId: client.clientId }
  if (!(await deps.grants.isHeld(holder, now))) throw refused({ userId: account.userId })
  await requireAccess(deps, client, account.userId)
  return {
    ...{ account, expiresAt, amr },
    ...(authTime !== undefined && { authTime }),
    ...(acr !== undefined && { acr }),
  }
}

/**
 * A refresh token of a browser session of this client. The checks are those of a refresh, which it does not replace: a copy that is
 * presented again ends its family. A family may outlive its session; an assertion does not.
 */
async function personOfRefreshToken(
  deps: AssertedPersonDeps,
  { client, token, now, clientAddress, cnf }: Presented,
): Promise<AssertedPerson> {
  const read = readRefreshToken(token, deps.keys.refreshKeyOf)
  if (read === undefined || !client.grantTypes.includes(GRANT_TYPES.refreshToken)) throw refused()
  const { grantId, kid, counter } = read
  const found = await deps.grants.find(grantId)
  // The tokens of an exchange rest on others, and may be those of an actor.
  if (found?.clientId !== client.clientId || found.audience !== null || !found.scopes.includes('openid'))
    throw refused()
  const { userId } = found
  const provenKey = cnf === undefined ? null : confirmationText(cnf)
  if (found.boundTo !== null && found.boundTo !== provenKey) throw refused({ userId })
  await requireAccess(deps, client, userId)
  const windows = refreshWindows(client, await deps.directory.settings())
  const position = {
    ...{ grantId, clientId: client.clientId, refreshKid: kid, counter, provenKey },
    ...{ binds: false, rotates: false, isAudienceChecked: true },
  }
  const result = await deps.families.run(grantId, () => deps.grants.rotate(position, windows))
  if (result.outcome === 'reused') {
    const event = reuseEvent('refresh_token.reuse', result, { clientId: client.clientId, clientAddress })
    await deps.publish(await deps.endings.endGrant(result, { reason: 'refresh_token_reused', event }, now))
  }
  if (result.outcome === 'reused' || result.outcome === 'refused') throw refused({ userId })
  const account = await accountOf(deps, result.grant)
  if (account === undefined) throw refused({ userId })
  const { authTime, amr, acr } = result.grant
  return {
    ...{ account, amr, expiresAt: Math.floor(found.absoluteEnd.getTime() / 1000) },
    ...(authTime !== undefined && { authTime: Math.floor(authTime.getTime() / 1000) }),
    ...(acr !== undefined && { acr }),
  }
}

/** The active person of a grant whose browser session has not ended. */
async function accountOf(
  { directory, revocations }: AssertedPersonDeps,
  grant: Grant,
): Promise<Account | undefined> {
  const { grantId, sid, user, client, userOrganization, clientOrganization, generation } = grant
  if (sid === undefined) return undefined
  const organizations = [userOrganization, clientOrganization]
  if (await revocations.isEnded({ grantId, sid, user, client, organizations, generation })) return undefined
  const account = await directory.account(user.id)
  return account?.active && account.kind === 'human' ? account : undefined
}

const requireAccess = ({ directory }: AssertedPersonDeps, client: Client, userId: string) =>
  requireProjectAccess(directory, audienceOf(client, []), userId)

const refused = (values: RefusedValues = {}) =>
  new InvalidRequestError(
    'subject_token is not valid: expired, ended with its session or its access, of another client, or without a session',
    { reason: 'subject_token', values },
  )
