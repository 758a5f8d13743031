import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Clock } from '@signet/platform/runtime/clock'
import { InvalidGrantError } from '@signet/protocol/errors'
import type { AccessToken } from '@signet/tokens/access-token'
import type { ReadAccessToken } from '@signet/tokens/access-token-reader'
import { readRefreshToken } from '@signet/tokens/refresh-token'
import { type Requester, revocationEvent } from '../audit/grant-events.ts'
import type { TokenKeys } from '../keys/token-keys.ts'
import type { EndingStore } from '../stores/ending-store.ts'
import type { GrantStore } from '../stores/grant-store.ts'
import type { PublishEndings } from './publish-endings.ts'

interface Deps {
  readonly keys: TokenKeys
  readonly directory: Pick<DirectoryReader, 'account' | 'client'>
  readonly readAccessToken: ReadAccessToken
  readonly grants: GrantStore
  readonly endings: EndingStore
  readonly publish: PublishEndings
  readonly now: Clock
}

/**
 * RFC 7009 section 2: ends a token that was issued to the client that asks; a refresh token takes its access tokens with it.
 * An unknown, foreign-made or expired token is no error, there is nothing to end. Throws InvalidGrantError for a
 * token of another client, which stays alive.
 */
export type RevokeToken = (token: string, requester: Requester) => Promise<void>

export function revokeToken(deps: Deps): RevokeToken {
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
  const grant = await grants.find(grantId)
  if (grant === undefined) return
  const { userId, organizationId } = grant
  requireOwner(grant.clientId, requester.clientId)
  const event = revocationEvent(
    { kind: 'grant', id: grantId },
    { subject: userId, organizationId },
    requester,
  )
  await publish(await endings.endGrant({ grantId }, { reason: 'revoked_by_client', event }, now()))
}

async function endAccessToken(
  { directory, endings, publish, now }: Deps,
  token: AccessToken,
  requester: Requester,
): Promise<void> {
  requireOwner(token.clientId, requester.clientId)
  if (token.expiresAt * 1000 <= now().getTime()) return
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
