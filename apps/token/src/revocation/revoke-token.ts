import type { ReadAccessToken } from '@signet/access-token-reader/access-token-reader'
import { InvalidGrantError } from '@signet/oauth-protocol/errors'
import type { Clock } from '@signet/service-runtime/clock'
import type { AccessToken } from '@signet/token-format/access-token'
import { readRefreshToken } from '@signet/token-format/refresh-token'
import type { TokenKeys } from '../keys/token-keys.ts'
import type { EndingStore } from '../stores/ending-store.ts'
import type { GrantStore } from '../stores/grant-store.ts'
import type { PublishRevocations } from './publish-revocations.ts'

interface Deps {
  readonly keys: TokenKeys
  readonly readAccessToken: ReadAccessToken
  readonly grants: GrantStore
  readonly endings: EndingStore
  readonly publish: PublishRevocations
  readonly now: Clock
}

/**
 * RFC 7009 section 2: ends a token that was issued to `clientId`; a refresh token takes its access tokens with it.
 * An unknown, foreign-made or expired token is no error, there is nothing to end. Throws InvalidGrantError for a
 * token of another client, which stays alive.
 */
export type RevokeToken = (token: string, clientId: string) => Promise<void>

export function revokeToken(deps: Deps): RevokeToken {
  return async (token, clientId) => {
    const refreshToken = readRefreshToken(token, deps.keys.refreshKeyOf)
    if (refreshToken !== undefined) return endFamily(deps, refreshToken.grantId, clientId)
    const accessToken = await deps.readAccessToken(token)
    if (accessToken !== undefined) return endAccessToken(deps, accessToken.token, clientId)
  }
}

async function endFamily(
  { grants, endings, publish, now }: Deps,
  grantId: string,
  clientId: string,
): Promise<void> {
  const grant = await grants.find(grantId)
  if (grant === undefined) return
  requireOwner(grant.clientId, clientId)
  await publish(await endings.endGrant({ grantId, userId: grant.userId }, 'revoked_by_client', now()))
}

async function endAccessToken(
  { endings, publish, now }: Deps,
  token: AccessToken,
  clientId: string,
): Promise<void> {
  requireOwner(token.clientId, clientId)
  if (token.expiresAt * 1000 <= now().getTime()) return
  const revocation = { kind: 't', id: token.id, value: 1, subject: token.subject } as const
  await publish(await endings.record([revocation], now()))
}

function requireOwner(owner: string, clientId: string): void {
  if (owner === clientId) return
  throw new InvalidGrantError('The token was issued to another client and stays valid', {
    reason: 'token_of_other_client',
  })
}
