import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Clock } from '@signet/platform/runtime/clock'
import { InvalidGrantError } from '@signet/protocol/errors'
import type { AccessToken } from '@signet/tokens/access-token'
import type { ReadAccessToken } from '@signet/tokens/access-token-reader'
import { readRefreshToken } from '@signet/tokens/refresh-token'
import { accessEndedEvent, type EndedBy, type Requester, revocationEvent } from '../audit-events.ts'
import type { EndedSession, EndingStore } from '../ending-store.ts'
import type { ApplicationGrant, GrantStore } from '../grant-store.ts'
import type { TokenKeys } from '../token-keys.ts'
import type { PublishEndings } from './revocation-log-writer.ts'

interface Deps {
  readonly keys: TokenKeys
  readonly directory: Pick<DirectoryReader, 'account' | 'client'>
  readonly readAccessToken: ReadAccessToken
  readonly grants: GrantStore
  readonly endings: EndingStore
  readonly publish: PublishEndings
  readonly now: Clock
}

const DAY_SECONDS = 86_400

/**
 * RFC 7009 section 2: ends a token that was issued to the client that asks; a refresh token takes its access tokens with it.
 * An unknown, foreign-made or long expired token is no error, there is nothing to end. Throws InvalidGrantError for a
 * token of another client, which stays alive.
 */
export type RevokeToken = (token: string, requester: Requester) => Promise<void>

export function createRevokeToken(deps: Deps): RevokeToken {
  return async (token, requester) => {
    const refreshToken = readRefreshToken(token, deps.keys.refreshKeyOf)
    if (refreshToken !== undefined) return endFamily(deps, refreshToken.grantId, requester)
    const accessToken = await deps.readAccessToken(token)
    if (accessToken !== undefined) return endAccessToken(deps, accessToken.token, requester)
  }
}

async function endFamily(
  { grants, endings, publish, now }: Deps,
  grantId: string,
  requester: Requester,
): Promise<void> {
  const target = { kind: 'grant', id: grantId } as const
  const why = { reason: 'revoked_by_client', event: revocationEvent(target, undefined, requester) }
  const ended = await endings.endGrantOfClient({ grantId, clientId: requester.clientId }, why, now())
  if (ended.length > 0) return publish(ended)
  const grant = await grants.find(grantId)
  if (grant === undefined) return
  const { userId, organizationId } = grant
  requireOwner(grant.clientId, requester.clientId)
  const event = revocationEvent(target, { subject: userId, organizationId }, requester)
  await publish(await endings.endGrant({ grantId }, { ...why, event }, now()))
}

async function endAccessToken(
  { directory, endings, publish, now }: Deps,
  token: AccessToken,
  requester: Requester,
): Promise<void> {
  requireOwner(token.clientId, requester.clientId)
  // A token that expired a moment ago is recorded: a reader may still answer it as active, by its own clock.
  if (token.expiresAt + DAY_SECONDS <= now().getTime() / 1000) return
  const { id, subject } = token
  // An application that has a token of its own is its subject.
  const owner = (await directory.account(subject)) ?? (await directory.client(subject))
  const event = revocationEvent(
    { kind: 'token', id },
    { subject, organizationId: owner?.organizationId },
    requester,
  )
  await publish(await endings.endAccessToken({ id, expiresAt: token.expiresAt }, event, now()))
}

function requireOwner(owner: string, clientId: string): void {
  if (owner === clientId) return
  throw new InvalidGrantError('The token was issued to another client and stays valid', {
    reason: 'token_of_other_client',
  })
}

/** Makes everything dead that was sealed or signed with a key, also for verifiers that still hold it. */
export type RevokeKey = (kid: string) => Promise<void>

export function createRevokeKey(deps: {
  readonly endings: Pick<EndingStore, 'endKey'>
  readonly publish: PublishEndings
}): RevokeKey {
  return async (kid) => deps.publish([await deps.endings.endKey(kid)])
}

/** The grants of a user by application, ordered by application. */
export type ListGrants = (userId: string) => Promise<readonly ApplicationGrant[]>

export interface EndingOfGrants {
  readonly userId: string
  readonly clientId: string
  readonly clientAddress?: string
}

/** Ends what a user lets an application do; when it resolves, no token made under it is active anywhere. */
export type EndGrants = (ending: EndingOfGrants) => Promise<void>

export function createEndGrants(deps: {
  readonly directory: Pick<DirectoryReader, 'account'>
  /** Ends approvals of devices that are not redeemed yet. */
  readonly endApprovals: (ended: Pick<EndingOfGrants, 'userId' | 'clientId'>, now: Date) => Promise<void>
  readonly endings: EndingStore
  readonly publish: PublishEndings
  readonly now: Clock
}): EndGrants {
  return async ({ userId, clientId, clientAddress }) => {
    const account = await deps.directory.account(userId)
    const event = accessEndedEvent(
      { userId, clientId, organizationId: account?.organizationId },
      clientAddress,
    )
    // Before the grants end, so that no approval becomes a grant behind them; without Redis the grants end nevertheless.
    const [approvals] = await Promise.allSettled([deps.endApprovals({ userId, clientId }, deps.now())])
    await deps.publish(await deps.endings.endGrantsOfClient({ userId, clientId }, event, deps.now()))
    if (approvals.status === 'rejected') throw approvals.reason
  }
}

/** Ends browser sessions; when it resolves, nothing made under them is active anywhere. */
export type EndSessions = (sessions: readonly EndedSession[], by: EndedBy) => Promise<void>

export function createEndSessions(deps: {
  readonly endings: EndingStore
  readonly publish: PublishEndings
  readonly now: Clock
}): EndSessions {
  return async (sessions, by) => {
    const distinct = [...new Map(sessions.map((session) => [session.sid, session])).values()]
    if (distinct.length === 0) return
    await deps.publish(await deps.endings.endSessions(distinct, deps.now(), by))
  }
}
