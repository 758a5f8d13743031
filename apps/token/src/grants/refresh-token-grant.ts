import { InvalidGrantError, InvalidScopeError } from '@signet/oauth-protocol/errors'
import { parseScopeString } from '@signet/oauth-protocol/scope-string'
import { readRefreshToken } from '@signet/token-format/refresh-token'
import { z } from 'zod'
import { reuseEvent } from '../audit/grant-events.ts'
import type { IssuanceDeps } from '../issuance/access-token.ts'
import { issueTokens } from '../issuance/issue-tokens.ts'
import type { PublishRevocations } from '../revocation/publish-revocations.ts'
import type { EndingStore } from '../stores/ending-store.ts'
import type { FoundGrant, GrantStore } from '../stores/grant-store.ts'
import type { FamilyTurns } from './family-turns.ts'
import { grant } from './grant.ts'
import { hasProjectChecks, requireProjectAccess } from './project-checks.ts'

interface Deps extends IssuanceDeps {
  readonly grants: GrantStore
  readonly endings: EndingStore
  readonly publish: PublishRevocations
  readonly turns: FamilyTurns
}

const params = z.object({
  refresh_token: z.string('refresh_token is required').min(1, 'refresh_token is empty'),
  scope: z.string().optional(),
})

/** RFC 6749 section 6 with rotation (RFC 9700 section 4.14). */
export const refreshTokenGrant = (deps: Deps) =>
  grant({
    params,
    async handle({ client, params, now, clientAddress }) {
      const token = readRefreshToken(params.refresh_token, deps.keys.refreshKeyOf)
      if (token === undefined) throw invalidToken('refresh_token_unknown')
      const requested = params.scope === undefined ? undefined : parseScopeString(params.scope)
      const isChecked = await hasProjectChecks(deps.directory, client)
      if (requested !== undefined || isChecked) {
        const found = await findGrant(deps, token.grantId, client.clientId)
        if (requested !== undefined) requireSubset(found.scopes, requested)
        if (isChecked) await requireProjectAccess(deps.directory, client, found.userId)
      }
      const settings = await deps.directory.settings()
      const position = {
        grantId: token.grantId,
        clientId: client.clientId,
        refreshKid: token.kid,
        counter: token.counter,
      }
      const windows = {
        idleMs: settings.refreshIdleSeconds * 1000,
        retryMs: settings.refreshRetryWindowSeconds * 1000,
      }
      const result = await deps.turns.take(token.grantId, () => deps.grants.rotate(position, windows))
      switch (result.outcome) {
        case 'rotated':
        case 'repeated':
          return issueTokens(
            deps,
            {
              client,
              grant: result.grant,
              scopes: requested ?? result.grant.scopes,
              refreshCounter: result.counter,
            },
            now,
          )
        case 'reused': {
          const requester = { clientId: client.clientId, clientAddress }
          const event = reuseEvent('refresh_token.reuse', result, requester)
          const why = { reason: 'refresh_token_reused', event }
          await deps.publish(await deps.endings.endGrant(result, why, now))
          throw invalidToken('refresh_token_reused')
        }
        case 'refused':
          throw invalidToken('refresh_token_not_current')
      }
    },
  })

/** Read before the rotation: a request that is refused must leave the family where it was. */
async function findGrant({ grants }: Deps, grantId: string, clientId: string): Promise<FoundGrant> {
  const found = await grants.find(grantId)
  if (found?.clientId === clientId) return found
  throw invalidToken('refresh_token_of_other_client')
}

function requireSubset(granted: readonly string[], requested: readonly string[]): void {
  if (requested.length > 0 && requested.every((scope) => granted.includes(scope))) return
  throw new InvalidScopeError('scope may only name scopes of the original authorization', {
    reason: 'scope_exceeds_grant',
  })
}

function invalidToken(reason: string): InvalidGrantError {
  return new InvalidGrantError('The refresh token is not valid; start again at the authorization endpoint', {
    reason,
  })
}
