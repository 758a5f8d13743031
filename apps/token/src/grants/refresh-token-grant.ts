import { hasProjectChecks, projectsOfResources } from '@signet/directory-reader/project-access'
import type { Client } from '@signet/directory-reader/views'
import type { GrantedDetail } from '@signet/protocol/authorization-details'
import {
  InvalidGrantError,
  InvalidRequestError,
  InvalidScopeError,
  namingUser,
} from '@signet/protocol/errors'
import { audienceScope } from '@signet/protocol/resource-indicator'
import { namedAudiences, parseScopeString } from '@signet/protocol/scopes'
import { readRefreshToken } from '@signet/tokens/refresh-token'
import { z } from 'zod'
import { reuseEvent } from '../audit-events.ts'
import type { EndingStore } from '../ending-store.ts'
import type { FamilyQueue } from '../family-queue.ts'
import type { FoundGrant, GrantStore, RotateResult } from '../grant-store.ts'
import type { IssuanceDeps } from '../issuance/access-token.ts'
import { audienceWithDetails, narrowedDetails } from '../issuance/details.ts'
import { issueTokens } from '../issuance/issue-tokens.ts'
import { confirmationText, refreshBinding, refreshWindows } from '../issuance/new-grant.ts'
import {
  audienceOf,
  narrowedAudience,
  requireApiMark,
  requireAudiences,
  requireProjectAccess,
} from '../issuance/scopes.ts'
import type { PublishEndings } from '../revocation/revocation-log-writer.ts'
import { grant } from './grant.ts'

interface Deps extends IssuanceDeps {
  readonly grants: GrantStore
  readonly endings: EndingStore
  readonly publish: PublishEndings
  readonly families: FamilyQueue
}

/** The way to a refresh token, for applications that never got one. */
const ADVICE =
  '; a response has one when the application has the grant type refresh_token and asked for the scope offline_access'

const params = z.object({
  refresh_token: z.string().default(''),
  scope: z.string().optional(),
  resource: z.string().optional(),
  authorization_details: z.string().optional(),
})

/**
 * Implements the refresh_token grant (RFC 6749 section 6) with rotation; a reused token revokes its family (RFC 9700 section
 * 4.14). An application with `fapi2` gets its token again (FAPI 2.0 Security Profile section 5.3.2.1), since its key
 * or that of its proofs is needed beside it. `GrantStore.rotate` (`grant.repository.ts`) rotates the family or reports reuse, with the statements of
 * `refresh-rotation.ts`.
 */
export const refreshTokenGrant = (deps: Deps) =>
  grant({
    params,
    async handle({ client, params, now, clientAddress, cnf }) {
      const token = readRefreshToken(params.refresh_token, deps.keys.refreshKeyOf)
      if (token === undefined) throw unknownToken(params.refresh_token)
      const provenKey = cnf === undefined ? null : confirmationText(cnf)
      let requested = params.scope === undefined ? undefined : parseScopeString(params.scope)
      let narrowed: readonly string[] | undefined
      let details: readonly GrantedDetail[] | undefined
      const findAllowedGrant = async () => {
        const found = await findGrant(deps, token.grantId, client.clientId)
        return namingUser(
          () => found.userId,
          async () => {
            requireKeyOfFamily(found, provenKey)
            if (requested !== undefined) requireSubset(found.scopes, requested)
            details = await narrowedDetails(deps, client, {
              granted: found.details ?? [],
              asked: params.authorization_details,
            })
            // An application that names APIs by `resource` or by details does not know their scopes, and sends its own again.
            const named = [
              ...(await projectsOfResources(deps, client, params.resource)),
              ...(details ?? []).map(({ projectId }) => projectId),
            ]
            const ofGrant = named.map(audienceScope).filter((scope) => found.scopes.includes(scope))
            requested = requested && [...new Set([...requested, ...ofGrant])]
            const scopes = requested ?? found.scopes
            await requireOpenAudience(deps, client, { ...found, scopes })
            const audience = found.audience ?? audienceOf(client, scopes)
            const ofResource = await narrowedAudience(deps, client, { audience, resource: params.resource })
            narrowed = audienceWithDetails(ofResource ?? audience, found.details ?? undefined, details)
            return found
          },
        )
      }
      // A refused request must leave the family unchanged, so the check of the scopes and the audience precedes the
      // rotation. It is left out when the request names no scope and the project of the client has no checks: the store then
      // rotates only a family whose scopes name no API and no other project, which needs no check.
      const isNarrower = [params.scope, params.resource, params.authorization_details].some(
        (value) => value !== undefined,
      )
      const isCheckedFirst = isNarrower || (await hasProjectChecks(deps.directory, client))
      if (isCheckedFirst) await findAllowedGrant()
      const settings = await deps.directory.settings()
      const position = {
        grantId: token.grantId,
        clientId: client.clientId,
        refreshKid: token.kid,
        counter: token.counter,
        provenKey,
        binds: refreshBinding(client, cnf).boundTo !== undefined,
        rotates: !client.fapi2,
      }
      const windows = refreshWindows(client, settings)
      const rotateInQueue = (isAudienceChecked: boolean): Promise<RotateResult> =>
        deps.families.run(token.grantId, () =>
          deps.grants.rotate({ ...position, isAudienceChecked }, windows),
        )
      let result = await rotateInQueue(isCheckedFirst)
      if (!isCheckedFirst && result.outcome === 'refused') {
        // The family may need the check; if so, it is rotated after it.
        const { scopes, audience } = await findAllowedGrant()
        if (audience !== null || namesAudience(scopes)) result = await rotateInQueue(true)
      }
      // A retry within the window rotates nothing, and the store does not check it.
      if (!isCheckedFirst && result.outcome === 'repeated') await findAllowedGrant()
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
              ...{ narrowed, details, cnf },
            },
            now,
          )
        case 'reused': {
          const requester = { clientId: client.clientId, clientAddress }
          const event = reuseEvent('refresh_token.reuse', result, requester)
          const why = { reason: 'refresh_token_reused', event }
          await deps.publish(await deps.endings.endGrant(result, why, now))
          throw invalidToken('refresh_token_reused', result.userId)
        }
        case 'refused':
          throw invalidToken('refresh_token_not_current')
      }
    },
  })

async function findGrant({ grants }: Deps, grantId: string, clientId: string): Promise<FoundGrant> {
  const found = await grants.find(grantId)
  if (found?.clientId === clientId) return found
  throw invalidToken('refresh_token_of_other_client')
}

/**
 * Repeats the checks of the issuance: the projects that the scopes name allow the client, and each project of
 * the audience lets the user in.
 */
async function requireOpenAudience(
  { directory }: Deps,
  client: Client,
  { userId, scopes, audience }: FoundGrant,
): Promise<void> {
  if (audience === null) await requireAudiences(directory, client, scopes)
  else requireApiMark(client, audience)
  await requireProjectAccess(directory, audience ?? audienceOf(client, scopes), userId)
}

/**
 * RFC 9449 section 5. The store rotates no family without its key either, and counts no use without it as reuse: a
 * stolen refresh token does not end the family.
 */
function requireKeyOfFamily({ boundTo, userId }: FoundGrant, provenKey: string | null): void {
  if (boundTo === null || boundTo === provenKey) return
  throw new InvalidGrantError(
    'the refresh token is bound to a key; prove the key that it was issued to, by a DPoP proof or by the certificate of the connection',
    { reason: 'key_of_refresh_token', values: { userId } },
  )
}

function namesAudience(scopes: readonly string[]): boolean {
  const { namesApi, projectIds } = namedAudiences(scopes)
  return namesApi || projectIds.length > 0
}

function requireSubset(granted: readonly string[], requested: readonly string[]): void {
  if (requested.length > 0 && requested.every((scope) => granted.includes(scope))) return
  throw new InvalidScopeError('scope may only name scopes of the original authorization', {
    reason: 'scope_exceeds_grant',
  })
}

function invalidToken(reason: string, userId?: string): InvalidGrantError {
  return new InvalidGrantError('The refresh token is not valid; start again at the authorization endpoint', {
    reason,
    values: { userId },
  })
}

/** The words that a program sends for a value that it does not have. */
const NO_VALUE = ['undefined', 'null', 'None']

function unknownToken(presented: string): InvalidGrantError | InvalidRequestError {
  if (presented === '')
    return new InvalidRequestError(`refresh_token is missing${ADVICE}`, { reason: 'parameters_invalid' })
  if (!NO_VALUE.includes(presented)) return invalidToken('refresh_token_unknown')
  return new InvalidGrantError(`refresh_token holds no token${ADVICE}`, { reason: 'refresh_token_unknown' })
}
