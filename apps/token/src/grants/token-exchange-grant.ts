import type { AuditRecorder } from '@signet/admin-api/audit/audit-recorder'
import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import { projectsOfResources } from '@signet/directory-reader/project-access'
import type { Client } from '@signet/directory-reader/views'
import { detailsFor, type GrantedDetail } from '@signet/protocol/authorization-details'
import { InvalidRequestError, InvalidScopeError, InvalidTargetError } from '@signet/protocol/errors'
import { parseTokenType, TOKEN_TYPES } from '@signet/protocol/grant-types'
import { resourceUris } from '@signet/protocol/resource-indicator'
import { API_PROJECT } from '@signet/protocol/scopes'
import {
  type Actor,
  type Confirmation,
  chainLength,
  joinActors,
  LONGEST_ACTOR_CHAIN,
} from '@signet/tokens/access-token'
import { newIdTokenId } from '@signet/tokens/id-token'
import { isIdentifier, newOpaqueIdentifier } from '@signet/tokens/identifiers'
import { z } from 'zod'
import { familyEvents } from '../audit-events.ts'
import type { BearerStore } from '../bearer/bearer.repository.ts'
import type { Access, Exchange, GrantStore, NewGrant } from '../grant-store.ts'
import type { IssuanceDeps } from '../issuance/access-token.ts'
import { audienceWithDetails, narrowedDetails } from '../issuance/details.ts'
import { issueIdTokenOnly, issueTokens, type TokenResponse } from '../issuance/issue-tokens.ts'
import { type Authorization, newGrantWithRefresh, refreshBinding } from '../issuance/new-grant.ts'
import { requireProjectAccess, requireScopes, withoutRefresh } from '../issuance/scopes.ts'
import type { AssertedPersonDeps } from '../token-exchange/asserted-person.ts'
import { issueIdentityAssertion } from '../token-exchange/issue-assertion.ts'
import { type Parties, requireParties } from '../token-exchange/parties.ts'
import type { PartyDeps } from '../token-exchange/party.ts'
import { familyEnd, requireImpersonationAllowed } from '../token-exchange/policy.ts'
import { grant } from './grant.ts'

const OFFLINE_ACCESS = 'offline_access'

interface Deps extends PartyDeps, AssertedPersonDeps, IssuanceDeps {
  readonly keys: IssuanceDeps['keys']
  readonly grants: GrantStore
  readonly bearers: BearerStore
  readonly audit: AuditRecorder
}

const params = z.object({
  subject_token: z.string('subject_token is required').min(1, 'subject_token is empty'),
  subject_token_type: z.string('subject_token_type is required'),
  actor_token: z.string().optional(),
  actor_token_type: z.string().optional(),
  requested_token_type: z.string().default(TOKEN_TYPES.accessToken),
  scope: z.string().optional(),
  /** Several are separated by spaces, or the parameter is repeated (RFC 8693 section 2.1). */
  audience: z.string().optional(),
  resource: z.string().optional(),
  authorization_details: z.string().optional(),
})
type Params = z.output<typeof params>

/** The token types that a request may ask for. */
type Requested = 'accessToken' | 'jwt' | 'idToken'

/** Implements token exchange (RFC 8693). Off until the feature `oidcTokenExchange` is switched on. */
export const tokenExchangeGrant = (deps: Deps) =>
  grant({
    params,
    async handle({ client, params, now, clientAddress, cnf: ofCaller, certificate }) {
      await requireFeature(deps)
      if (params.requested_token_type === TOKEN_TYPES.idJag)
        return issueIdentityAssertion(deps, { client, params, now, clientAddress, cnf: ofCaller })
      const requested = requestedType(params)
      const proven = { client, cnf: ofCaller, certificate }
      const parties = await requireParties(deps, params, proven, now)
      // A token that counts with its certificate alone becomes none that counts without it.
      const cnf = ofCaller ?? parties.subject.cnf ?? parties.actor?.cnf
      const tokenId = newTokenId(deps, parties, requested)
      const requester = { clientId: client.clientId, clientAddress }
      const events = await requireImpersonationAllowed(deps, parties, requester, tokenId)
      const asked = await grantedScopes(deps, client, params.scope, parties)
      const named = await namedTargets(deps, client, params)
      const allowed = requireAudienceSubset(client, named, parties)
      const act = requireChainLength(deps.issuer, parties)
      const granted = detailsFor(detailsOf(parties), allowed)
      const asksFor = params.authorization_details
      const details = (await narrowedDetails(deps, client, { granted, asked: asksFor })) ?? granted
      const audience = audienceWithDetails(allowed, granted, details)
      const exchange = exchangeOf(audience, act, parties, requested)
      await requireProjectAccess(deps.directory, audience, parties.subject.account.userId)
      const latestEnd = await familyEndOf(deps, client, asked, parties, now)
      const scopes = latestEnd === undefined ? withoutRefresh(asked) : asked
      const authorization = {
        ...authorizationOfExchange(deps, client, parties, scopes, exchange),
        ...(details.length > 0 && { details }),
        ...refreshBinding(client, cnf),
      }
      const newGrant = await newGrantWithRefresh(deps, authorization, client, now, latestEnd)
      await store(deps, newGrant, [...events, ...familyEvents(newGrant, clientAddress)], accessesOf(parties))
      const longestSeconds = longestLife(parties, now)
      return issue(deps, { client, newGrant, requested, tokenId, longestSeconds, cnf }, now)
    },
  })

async function requireFeature({ directory }: Deps): Promise<void> {
  if ((await directory.settings()).oidcTokenExchange) return
  throw new InvalidRequestError('the feature oidcTokenExchange is switched off', { reason: 'feature_off' })
}

function requestedType({ requested_token_type }: Params): Requested {
  const type = parseTokenType(requested_token_type)
  if (type === 'accessToken' || type === 'jwt' || type === 'idToken') return type
  throw new InvalidRequestError('requested_token_type is not allowed', { reason: 'requested_token_type' })
}

/** Never wider than what the presented tokens carry together. */
async function grantedScopes(
  { directory }: Deps,
  client: Client,
  asked: string | undefined,
  { subject, actor }: Parties,
): Promise<readonly string[]> {
  if (asked === undefined) return withoutRefresh(subject.scopes)
  const { organizationId, organizationPrimaryDomain: primaryDomain } = subject.account
  const scopes = await requireScopes(directory, client, asked, { organizationId, primaryDomain })
  // The consent of a user to offline_access covers the user's own tokens and not those of an actor.
  const carried = (scope: string) =>
    subject.carries(scope) || (scope !== OFFLINE_ACCESS && actor?.carries(scope) === true)
  if (scopes.every(carried)) return scopes
  throw new InvalidScopeError('scope may only name scopes of the presented tokens', {
    reason: 'scope_exceeds_tokens',
  })
}

/** When the refresh family ends at the latest that is asked for; undefined where none begins. */
async function familyEndOf(
  deps: Deps,
  client: Client,
  scopes: readonly string[],
  parties: Parties,
  now: Date,
): Promise<Date | undefined> {
  if (!scopes.includes(OFFLINE_ACCESS) || !client.grantTypes.includes('refresh_token')) return undefined
  const end = await familyEnd(deps, parties)
  return end !== undefined && end > now ? end : undefined
}

/** Seconds until the first of the presented tokens ends. */
function longestLife({ subject, actor }: Parties, now: Date): number {
  const ends = [subject.expiresAt, actor?.expiresAt].filter((end) => end !== undefined)
  return Math.min(...ends) - Math.floor(now.getTime() / 1000)
}

/** Made before the token, because its audit event contains it. */
function newTokenId({ random, generation }: Deps, { subject }: Parties, requested: Requested): string {
  const epochs = {
    user: subject.user.epoch,
    organization: subject.organization.epoch,
    generation: generation(),
  }
  return requested === 'idToken' ? newIdTokenId(random, epochs) : newOpaqueIdentifier(random)
}

/** The audience that a request names, by ids or by the URIs of APIs (RFC 8693 section 2.1); undefined when it names none. */
async function namedTargets(
  deps: Deps,
  client: Client,
  { audience, resource }: Params,
): Promise<readonly string[] | undefined> {
  if (audience === undefined && resource === undefined) return undefined
  const named = resourceUris(audience)
  const ids = named.filter(isIdentifier)
  const uris = named.filter((name) => !isIdentifier(name))
  return [...ids, ...(await projectsOfResources(deps, client, [...uris, resource].join(' ')))]
}

/**
 * Returns the requested audience, or without one that of the subject token. Throws InvalidTargetError for an audience that
 * the presented tokens do not have.
 */
function requireAudienceSubset(
  client: Client,
  requested: readonly string[] | undefined,
  { subject, actor }: Parties,
): readonly string[] {
  // Exchanged tokens are for Signet's own APIs only where an IAM_OWNER has marked the client.
  const isAllowed = (name: string) => name !== API_PROJECT || client.mayCallApi
  const own = subject.ownAudience.filter(isAllowed)
  const audience = requested ?? own
  const allowed = [...subject.audience, ...(actor?.audience ?? [])].filter(isAllowed)
  if (audience.length > 0 && audience.every((name) => allowed.includes(name))) return [...new Set(audience)]
  throw new InvalidTargetError('audience may only name audiences of the presented tokens', {
    reason: 'audience_exceeds_tokens',
  })
}

/** The details of the presented tokens: those of the actor for the APIs that only its token is for. */
function detailsOf({ subject, actor }: Parties): readonly GrantedDetail[] {
  const ofActor = actor?.details?.filter(({ projectId }) => !subject.audience.includes(projectId))
  return [...(subject.details ?? []), ...(ofActor ?? [])]
}

/** Returns the actor claim of the new token (RFC 8693 section 4.1). Throws InvalidRequestError for too long a chain. */
function requireChainLength(issuer: string, { subject, actor }: Parties): Actor | undefined {
  const latest = actor && { iss: issuer, sub: actor.account.userId, ...(actor.act && { act: actor.act }) }
  const act = joinActors(latest, subject.act)
  if (chainLength(act) <= LONGEST_ACTOR_CHAIN) return act
  throw new InvalidRequestError('too many actors stand behind the presented tokens', {
    reason: 'actor_chain',
  })
}

function exchangeOf(
  audience: readonly string[],
  act: Actor | undefined,
  { subject, actor }: Parties,
  requested: Requested,
): Exchange {
  return {
    ...(act !== undefined && { act }),
    origins: distinct([...subject.origins, ...(actor?.origins ?? [])]),
    audience,
    accessTokenType: requested === 'jwt' ? 'jwt' : 'bearer',
  }
}

function authorizationOfExchange(
  { generation }: Deps,
  client: Client,
  { subject, actor }: Parties,
  scopes: readonly string[],
  exchange: Exchange,
): Authorization {
  // The sign-in is that of the actor, who was authenticated.
  const { authTime, amr, acr } = actor ?? subject
  return {
    client: { id: client.clientId, epoch: client.tokenEpoch },
    clientOrganization: { id: client.organizationId, epoch: client.organizationTokenEpoch },
    user: subject.user,
    userOrganization: subject.organization,
    scopes,
    ...(authTime !== undefined && { authTime }),
    amr,
    ...(acr !== undefined && { acr }),
    exchange,
    generation: generation(),
  }
}

interface Issue {
  readonly client: Client
  readonly newGrant: NewGrant
  readonly requested: Requested
  readonly tokenId: string
  readonly longestSeconds: number
  readonly cnf: Confirmation | undefined
}

const accessesOf = ({ subject, actor }: Parties): readonly Access[] =>
  [subject.access, actor?.access].filter((access) => access !== undefined)

/**
 * A refresh family needs a row, and so does what rests on an ID token, which names no grant: by the row it ends with the access of the
 * application. Other tokens carry all their revocation keys.
 */
async function store(
  { grants, audit }: Deps,
  newGrant: NewGrant,
  events: readonly AuditEvent[],
  accesses: readonly Access[],
): Promise<void> {
  if (newGrant.refreshKid === undefined && accesses.length === 0) {
    for (const event of events) await audit.record(event)
  } else if ((await grants.begin(newGrant, events, accesses)) !== 'begun') {
    throw new InvalidRequestError('a presented token has ended', { reason: 'ended_meanwhile' })
  }
}

async function issue(deps: Deps, issuance: Issue, now: Date): Promise<TokenResponse> {
  const { client, newGrant, requested, tokenId, longestSeconds, cnf } = issuance
  const request = {
    client,
    grant: newGrant,
    scopes: newGrant.scopes,
    tokenId,
    longestSeconds,
    cnf,
    ...(newGrant.refreshKid !== undefined && { refreshCounter: 0 }),
  }
  const response =
    requested === 'idToken' ? issueIdTokenOnly(deps, request, now) : issueTokens(deps, request, now)
  return { ...(await response), issued_token_type: TOKEN_TYPES[requested] }
}

function distinct<T>(values: readonly T[]): readonly T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}
