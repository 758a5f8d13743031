import { createHash } from 'node:crypto'
import { ApiError } from '@signet/http-server/api-error'
import { requireServiceUser } from '../accounts/require-account.ts'
import type { ManagementCall } from '../management/management-call.ts'
import type { ManagementServices } from '../management/management-services.ts'
import type { Page, PageRequest } from '../management/page.ts'
import type { PersonalAccessToken } from './credential.ts'
import { requireFuture } from './require-future.ts'
import { newPersonalAccessToken } from './secret-text.ts'

interface Owner {
  readonly userId: string
}

export function listPersonalAccessTokens(
  _call: ManagementCall,
  { userId, ...request }: Owner & PageRequest,
  { stores }: Pick<ManagementServices, 'stores'>,
): Promise<Page<PersonalAccessToken>> {
  return stores.tokens.list(userId, request)
}

/** Makes a token for a service user. It is answered here and can be read nowhere again. */
export function createPersonalAccessToken(
  call: ManagementCall,
  { userId, expiresAt }: Owner & { readonly expiresAt?: Date | undefined },
  { now, random }: Pick<ManagementServices, 'now' | 'random'>,
): Promise<PersonalAccessToken & { readonly token: string }> {
  const createdAt = now()
  requireFuture(expiresAt, createdAt)
  return call.change(async ({ accounts, tokens }) => {
    await requireServiceUser(accounts, userId, 'personal access token')
    const token = newPersonalAccessToken(random)
    const made = { id: call.targetId, createdAt, expiresAt: expiresAt ?? null }
    await tokens.add(userId, { ...made, hash: createHash('sha256').update(token).digest() })
    return { result: { ...made, token } }
  })
}

/** When it resolves, nobody is let in with the token. */
export function deletePersonalAccessToken(
  call: ManagementCall,
  { userId, tokenId }: Owner & { readonly tokenId: string },
): Promise<void> {
  return call.change(async ({ tokens }) => {
    if (await tokens.delete(userId, tokenId)) return { result: undefined }
    throw new ApiError('NOT_FOUND', 'the user has no token with this id', { reason: 'token_unknown' })
  })
}
