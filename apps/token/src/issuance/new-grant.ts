import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Client, InstanceSettings } from '@signet/directory-reader/views'
import type { GrantedDetail } from '@signet/protocol/authorization-details'
import type { Confirmation, EpochMark } from '@signet/tokens/access-token'
import type { RandomBytes } from '@signet/tokens/identifiers'
import type { Exchange, NewGrant } from '../grant-store.ts'
import { newGrantId } from '../partitions/partition-plan.ts'
import type { TokenKeys } from '../token-keys.ts'

/**
 * The scopes and origin of a new grant, in a browser session or by a token exchange. Times are seconds since
 * 1970.
 */
export interface Authorization {
  readonly client: EpochMark
  readonly clientOrganization: EpochMark
  readonly user: EpochMark
  readonly userOrganization: EpochMark
  readonly sid?: string
  readonly scopes: readonly string[]
  readonly authTime?: number
  readonly amr: readonly string[]
  readonly acr?: string
  readonly userinfoClaims?: readonly string[]
  readonly idTokenClaims?: readonly string[]
  readonly details?: readonly GrantedDetail[]
  readonly exchange?: Exchange
  /** Generation of the database at the authorization; absent: 0. */
  readonly generation?: number
  /** The key to which the refresh tokens are bound. */
  readonly boundTo?: string
}

/**
 * RFC 9449 section 5, RFC 8705 section 4: refresh tokens of a public client are bound to the key that it has proven. Those of another client are
 * bound to it by its authentication.
 */
export function refreshBinding(
  { authMethod }: Pick<Client, 'authMethod'>,
  cnf: Confirmation | undefined,
): { readonly boundTo?: string } {
  return authMethod === 'none' && cnf !== undefined ? { boundTo: confirmationText(cnf) } : {}
}

/** The form in which a grant contains the key of a confirmation. */
export function confirmationText({ jkt, 'x5t#S256': thumbprint }: Confirmation): string {
  return jkt === undefined ? `x5t#S256.${thumbprint}` : `jkt.${jkt}`
}

/**
 * Returns the idle time of a refresh family, and for how long the predecessor of a token that was never presented is a retry. Phones
 * and applications in browsers lose answers and notice it late (DESIGN: "Refresh token"); a client that keeps a secret runs where
 * networks are better.
 */
export function refreshWindows(
  { type, authMethod }: Pick<Client, 'type' | 'authMethod'>,
  {
    refreshIdleSeconds,
    refreshRetryWindowSeconds,
    refreshUnusedRetrySeconds,
  }: Pick<InstanceSettings, 'refreshIdleSeconds' | 'refreshRetryWindowSeconds' | 'refreshUnusedRetrySeconds'>,
): { readonly idleMs: number; readonly retryMs: number } {
  const losesAnswers = type === 'native' || authMethod === 'none'
  const retrySeconds = losesAnswers
    ? Math.max(refreshRetryWindowSeconds, refreshUnusedRetrySeconds)
    : refreshRetryWindowSeconds
  return { idleMs: refreshIdleSeconds * 1000, retryMs: retrySeconds * 1000 }
}

interface Deps {
  readonly keys: TokenKeys
  readonly directory: DirectoryReader
  readonly random: RandomBytes
}

/** The dependencies of a new grant. */
interface Making {
  readonly random: RandomBytes
  readonly settings: Pick<InstanceSettings, 'sessionAbsoluteSeconds'>
}

/** The longest life of an access token: how long a grant without refresh tokens can still matter. */
const LONGEST_ACCESS_TOKEN_MS = 24 * 60 * 60 * 1000

/** A grant without refresh tokens: it lasts as long as an access token made under it can. */
export function newGrant(made: Making, authorization: Authorization, now: Date): NewGrant {
  const end = new Date(now.getTime() + LONGEST_ACCESS_TOKEN_MS)
  return grantUntil(made, authorization, { idleEnd: end, absoluteEnd: end }, now)
}

/** A grant that begins a refresh family where the scopes and the application allow one, until `latestEnd` at most. */
export async function newGrantWithRefresh(
  deps: Deps,
  authorization: Authorization,
  client: Client,
  now: Date,
  latestEnd?: Date,
): Promise<NewGrant> {
  const settings = await deps.directory.settings()
  const made = { random: deps.random, settings }
  const wanted = authorization.scopes.includes('offline_access')
  if (!wanted || !client.grantTypes.includes('refresh_token')) return newGrant(made, authorization, now)
  const { refreshIdleSeconds, refreshAbsoluteSeconds } = settings
  const absoluteEnd = earlier(after(now, refreshAbsoluteSeconds), latestEnd)
  const ends = { idleEnd: earlier(after(now, refreshIdleSeconds), absoluteEnd), absoluteEnd }
  return {
    ...grantUntil(made, authorization, ends, now),
    refreshKid: deps.keys.refreshKey().kid,
  }
}

function grantUntil(
  { random, settings }: Making,
  authorization: Authorization,
  ends: Pick<NewGrant, 'idleEnd' | 'absoluteEnd'>,
  now: Date,
): NewGrant {
  const { client, clientOrganization, user, userOrganization, scopes, amr } = authorization
  const { sid, authTime, acr, details, exchange, boundTo } = authorization
  return {
    grantId: newGrantId(ends.absoluteEnd, now, random),
    clientId: client.id,
    client,
    clientOrganization,
    user,
    userOrganization,
    ...(sid !== undefined && { sid, sessionEnd: after(now, settings.sessionAbsoluteSeconds) }),
    scopes,
    generation: authorization.generation ?? 0,
    ...(authTime !== undefined && { authTime: new Date(authTime * 1000) }),
    amr,
    ...(acr !== undefined && { acr }),
    userinfoClaims: authorization.userinfoClaims ?? [],
    idTokenClaims: authorization.idTokenClaims ?? [],
    ...(details !== undefined && { details }),
    ...(exchange !== undefined && { exchange }),
    ...(boundTo !== undefined && { boundTo }),
    createdAt: now,
    ...ends,
  }
}

function earlier(end: Date, latest: Date | undefined): Date {
  return latest !== undefined && latest < end ? latest : end
}

function after(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000)
}
