import { createHash } from 'node:crypto'
import { AssertionRefusal, claimedSigner, verifySignedAssertion } from '@signet/client-auth/signed-assertion'
import { scopesRevealing } from '@signet/directory-reader/claims'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Account, Client } from '@signet/directory-reader/views'
import { GROUPS_CLAIMS } from '@signet/protocol/application-settings'
import type { GrantedDetail } from '@signet/protocol/authorization-details'
import { API_PROJECT, isKnownScope, parseScopeString, SCOPES } from '@signet/protocol/scopes'
import { personalTokenKeys } from '@signet/revocation-reader/endings'
import type { RevocationReader } from '@signet/revocation-reader/revocation-reader'
import { hasEnded } from '@signet/revocation-reader/revocation-reader'
import {
  type Actor,
  type Confirmation,
  type EpochMark,
  hasOrigin,
  type RevocationKeys,
  revocationKeysOf,
} from '@signet/tokens/access-token'
import { bearerForm, type ReadAccessToken } from '@signet/tokens/access-token-reader'
import { epochsOfIdToken } from '@signet/tokens/id-token'
import { isIdentifier } from '@signet/tokens/identifiers'
import type { VerifyJws } from '@signet/tokens/keys/verify-jws'
import type { BearerStore } from '../bearer/bearer.repository.ts'
import type { Access } from '../grant-store.ts'
import type { TokenKeys } from '../token-keys.ts'

/** The kind of a presented token, which decides who may exchange it. */
type PartyForm =
  | { readonly kind: 'issued'; readonly issuedTo: string; readonly audience: readonly string[] }
  | { readonly kind: 'personal' }

/** The proven facts about the user of a presented token. */
export interface Party {
  readonly form: PartyForm
  readonly account: Account
  /** The epochs that it was made under. */
  readonly user: EpochMark
  readonly organization: EpochMark
  /** Whether it would carry this scope. */
  readonly carries: (scope: string) => boolean
  /** Scopes for an exchange that asks for none. */
  readonly scopes: readonly string[]
  /** Audience that an exchange of it may ask for. */
  readonly audience: readonly string[]
  /** Audience for an exchange that names none. */
  readonly ownAudience: readonly string[]
  /** Rich authorization of the token. */
  readonly details?: readonly GrantedDetail[]
  /** Actor of the token, if it has one already. */
  readonly act?: Actor
  /** Revocation keys of the token. */
  readonly origins: readonly RevocationKeys[]
  /** When it ends, in seconds since 1970; absent when it does not. */
  readonly expiresAt?: number
  /** Seconds since 1970. */
  readonly authTime?: number
  readonly amr: readonly string[]
  readonly acr?: string
  /** The key to which the token is bound. */
  readonly cnf?: Confirmation
  /** The access behind a token that names no grant, which ends with it. */
  readonly access?: Access
}

export interface PartyDeps {
  readonly issuer: string
  readonly directory: DirectoryReader
  readonly keys: Pick<TokenKeys, 'originKeys'>
  readonly readAccessToken: ReadAccessToken
  readonly verifyJws: VerifyJws
  readonly revocations: RevocationReader
  readonly bearers: Pick<BearerStore, 'personalAccessToken'>
  readonly assertionAudiences: readonly string[]
  /** Generation of the database. */
  readonly generation: () => number
}

/** Reads one kind of presented token; undefined for one that is not ours, expired, revoked, or whose user is not active. */
export type ReadParty = (token: string, client: Client, now: Date) => Promise<Party | undefined>

/** An access token of either form, or a personal one. */
export function createAccessTokenParty(deps: PartyDeps): ReadParty {
  return async (value, client, now) => {
    if (bearerForm(value) === 'personal') return personalParty(deps, value, client, now)
    const read = await deps.readAccessToken(value)
    if (read === undefined) return undefined
    const { token, kid, sealed } = read
    // The key ring `access-seal` alone makes tokens that open; the origin MAC proves that `token` issued
    // them.
    if (sealed !== undefined && !hasOrigin(sealed, deps.keys.originKeys())) return undefined
    if (token.expiresAt * 1000 <= now.getTime() || (await hasEnded(deps.revocations, { token, kid })))
      return undefined
    const account = token.user && (await activeAccount(deps, token.user.id))
    if (account === undefined || token.user === undefined) return undefined
    const scopes = parseScopeString(token.scope)
    const { kid: _, ...restsOn } = revocationKeysOf(token, kid)
    // The URI of an API stands beside the id of its project.
    const audience = token.audience.filter(isIdentifier)
    return {
      form: { kind: 'issued', issuedTo: token.clientId, audience },
      expiresAt: token.expiresAt,
      account,
      user: token.user,
      organization: organizationMark(account, token.organizations),
      carries: (scope) => scopes.includes(scope),
      scopes,
      audience,
      ownAudience: audience,
      ...(token.details !== undefined && { details: token.details }),
      ...(token.act !== undefined && { act: token.act }),
      origins: [restsOn, ...(token.origins ?? [])],
      ...(token.authTime !== undefined && { authTime: token.authTime }),
      amr: token.amr ?? [],
      ...(token.acr !== undefined && { acr: token.acr }),
      ...(token.cnf !== undefined && { cnf: token.cnf }),
    }
  }
}

/**
 * Reads a personal access token. It counts as an access token with every known scope of its user, made for the
 * calling application and for the API; the end of the token is among its origins, as that of an access token is.
 */
async function personalParty(
  deps: PartyDeps,
  value: string,
  client: Client,
  now: Date,
): Promise<Party | undefined> {
  const found = await deps.bearers.personalAccessToken(createHash('sha256').update(value).digest(), now)
  // The new token would have all roles of its owner.
  if (found?.onlyRoles !== undefined) return undefined
  const account = found && (await activeAccount(deps, found.userId))
  if (found === undefined || account === undefined) return undefined
  const own = client.projectId === null ? [client.clientId] : [client.clientId, client.projectId]
  const { origins, ...party } = partyOfAccount(account, deps.generation())
  const keys = personalTokenKeys(found.userId, found.tokenId)
  if (await deps.revocations.isEnded(keys)) return undefined
  return {
    ...party,
    origins: origins.map((origin) => ({ ...origin, personalTokenId: keys.personalTokenId })),
    form: { kind: 'personal' },
    ...(found.expiresAt !== null && { expiresAt: Math.floor(found.expiresAt.getTime() / 1000) }),
    carries: isKnownScope,
    scopes: SCOPES.filter((scope) => scope !== 'offline_access'),
    audience: [...own, API_PROJECT],
    ownAudience: own,
  }
}

/** An ID token that was issued to the calling application, to the user in person. */
export function createIdTokenParty(deps: PartyDeps): ReadParty {
  return async (value, client, now) => {
    const verified = await deps.verifyJws(value, 'JWT')
    if (verified === undefined) return undefined
    const { kid, claims } = verified
    const { iss, sub, iat, exp, jti, sid, act } = claims as unknown as IdTokenClaims
    const { auth_time: authTime, amr, acr } = claims as unknown as IdTokenClaims
    // A list until version 0.1, a string since.
    const aud = [claims.aud].flat() as readonly string[]
    const epochs = epochsOfIdToken(jti)
    if (iss !== deps.issuer || epochs === undefined || !aud.includes(client.clientId)) return undefined
    if (exp * 1000 <= now.getTime()) return undefined
    // It does not carry what its actor rested on, so it would outlive that.
    if (act !== undefined) return undefined
    const account = await activeAccount(deps, sub)
    if (account === undefined) return undefined
    const user = { id: sub, epoch: epochs.user }
    const organization = { id: account.organizationId, epoch: epochs.organization }
    const restsOn: RevocationKeys = {
      ...(sid !== undefined && { sid }),
      user,
      organizations: [organization],
      ...(epochs.generation !== undefined && { generation: epochs.generation }),
    }
    if (await deps.revocations.isEnded({ ...restsOn, kid })) return undefined
    const groups = GROUPS_CLAIMS.some((name) => claims[name] !== undefined) ? ['groups'] : []
    const scopes = ['openid', ...scopesRevealing(Object.keys(claims)), ...groups]
    return {
      form: { kind: 'issued', issuedTo: client.clientId, audience: aud },
      expiresAt: exp,
      account,
      user,
      organization,
      carries: (scope) => scopes.includes(scope),
      scopes,
      audience: aud,
      ownAudience: aud,
      origins: [restsOn],
      access: { userId: sub, clientId: client.clientId, provenAt: new Date(iat * 1000) },
      ...(authTime !== undefined && { authTime }),
      amr: amr ?? [],
      ...(acr !== undefined && { acr }),
    }
  }
}

interface IdTokenClaims {
  readonly iss: string
  readonly sub: string
  readonly iat: number
  readonly exp: number
  readonly jti?: string
  readonly sid?: string
  readonly act?: Actor
  readonly auth_time?: number
  readonly amr?: readonly string[]
  readonly acr?: string
}

/** A JWT of the calling application that names a user; the actor's rights decide what the exchange allows. */
export function createClientJwtParty(deps: PartyDeps, actor: Party): ReadParty {
  return async (value, client, now) => {
    const subject = claimedSigner(value)
    if (subject === undefined) return undefined
    try {
      const signer = { id: client.clientId, keys: client.keys, subject }
      await verifySignedAssertion(value, signer, deps.assertionAudiences, now)
    } catch (error) {
      if (error instanceof AssertionRefusal) return undefined
      throw error
    }
    return createUserIdParty(deps, actor)(subject, client, now)
  }
}

/** The id of a user, which proves nothing: scopes, audience and details are those of the actor. */
export function createUserIdParty(deps: PartyDeps, actor: Party): ReadParty {
  return async (userId, client) => {
    const account = await activeAccount(deps, userId)
    if (account === undefined) return undefined
    const { carries, scopes, audience, ownAudience, details } = actor
    const form = { kind: 'issued', issuedTo: client.clientId, audience: [] } as const
    return {
      ...partyOfAccount(account, deps.generation()),
      ...{ form, carries, scopes, audience, ownAudience },
      ...(details !== undefined && { details }),
    }
  }
}

type OfAccount = 'account' | 'user' | 'organization' | 'origins' | 'amr'

function partyOfAccount(account: Account, generation: number): Pick<Party, OfAccount> {
  const user = { id: account.userId, epoch: account.tokenEpoch }
  const organization = { id: account.organizationId, epoch: account.organizationTokenEpoch }
  const origins = [{ subject: account.userId, user, generation, organizations: [organization] }]
  return { account, user, organization, origins, amr: [] }
}

async function activeAccount({ directory }: PartyDeps, userId: string): Promise<Account | undefined> {
  const account = await directory.account(userId)
  return account?.active ? account : undefined
}

function organizationMark(account: Account, marks: Party['origins'][number]['organizations']) {
  const mark = marks.find(({ id }) => id === account.organizationId)
  return mark ?? { id: account.organizationId, epoch: account.organizationTokenEpoch }
}
