import { createHash } from 'node:crypto'
import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import type { AccountStore } from '../accounts/account.repository.ts'
import { requireServiceUser } from '../accounts/require-account.ts'
import type { ManagementCall, Tools } from '../api/management-call.ts'
import type { MemberStore } from '../permissions/member.repository.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import { newPersonalAccessToken } from './client-secret.ts'
import type { PersonalAccessToken } from './credential.schema.ts'
import { requireFuture } from './make-key.ts'
import type { PersonalAccessTokenStore } from './personal-access-token.repository.ts'

interface Stores {
  readonly accounts: AccountStore
  readonly members: MemberStore
  readonly tokens: PersonalAccessTokenStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

interface Owner {
  readonly userId: string
}

export function listPersonalAccessTokens(
  _call: ManagementCall<Stores>,
  { userId, ...request }: Owner & PageRequest,
  { stores }: Reads,
): Promise<Page<PersonalAccessToken>> {
  return stores.tokens.list(userId, request)
}

interface NewToken extends Owner {
  readonly expiresAt?: Date | undefined
  readonly roles?: readonly string[] | undefined
}

/**
 * Creates a token for a service user, with the longest lifetime of the instance unless an earlier expiry is given. Only this
 * response contains the token.
 */
export function createPersonalAccessToken(
  call: ManagementCall<Stores>,
  { userId, expiresAt, roles }: NewToken,
  { now, random }: Pick<Tools, 'now' | 'random'>,
): Promise<PersonalAccessToken & { readonly token: string }> {
  const createdAt = now()
  requireFuture(expiresAt, createdAt)
  return call.change(async ({ accounts, members, tokens }) => {
    await requireServiceUser(accounts, userId, 'personal access token')
    const end = await requireEnd(tokens, expiresAt, createdAt)
    if (roles !== undefined) await requireHeld(members, userId, roles)
    const token = newPersonalAccessToken(random)
    const made = { id: call.targetId, createdAt, expiresAt: end, roles: roles ?? null }
    await tokens.add(userId, { ...made, hash: createHash('sha256').update(token).digest() })
    return { result: { ...made, token }, ...(roles !== undefined && { details: { roles } }) }
  })
}

/** Throws ApiError INVALID_ARGUMENT for an end behind the longest life of the instance, which is the end by default. */
async function requireEnd(
  tokens: Pick<PersonalAccessTokenStore, 'longestLifeSeconds'>,
  expiresAt: Date | undefined,
  createdAt: Date,
): Promise<Date> {
  const seconds = await tokens.longestLifeSeconds()
  const latest = new Date(createdAt.getTime() + seconds * 1_000)
  if (expiresAt === undefined || expiresAt <= latest) return expiresAt ?? latest
  const limit = seconds % 3_600 === 0 ? `${seconds / 3_600} hours` : `${seconds} seconds`
  const rule = `must be at most ${limit} from now, the personalAccessTokenLifetime of the instance`
  throw invalidFields([{ field: 'expiresAt', rule }])
}

/** Throws ApiError INVALID_ARGUMENT unless the user holds the roles, each somewhere. */
async function requireHeld(
  members: Pick<MemberStore, 'counting'>,
  userId: string,
  roles: readonly string[],
): Promise<void> {
  const held = new Set((await members.counting(userId)).map(({ role }) => role))
  if (roles.every((role) => held.has(role))) return
  throw invalidFields([{ field: 'roles', rule: 'must be roles that the user holds' }])
}

/** When it resolves, the token is refused everywhere, and so is what was exchanged for it. */
export function deletePersonalAccessToken(
  call: ManagementCall<Stores>,
  { userId, tokenId }: Owner & { readonly tokenId: string },
): Promise<void> {
  return call.change(async ({ tokens }) => {
    // A repeated call publishes again: the publication of the first may have failed.
    if ((await tokens.delete(userId, tokenId)) || (await tokens.hasEnded(userId, tokenId))) {
      const ended = { kind: 'personal_access_token', id: tokenId, userId, epoch: 1 } as const
      return { result: undefined, epochs: [ended] }
    }
    throw new ApiError('NOT_FOUND', 'the user has no token with this id', { reason: 'token_unknown' })
  })
}
