import { ApiError } from '@signet/http-server/api-error'
import type { ManagementCall } from '../management/management-call.ts'
import type { ManagementServices } from '../management/management-services.ts'
import type { Page, PageRequest } from '../management/page.ts'
import type { Metadata } from './account.ts'
import { requireAccount } from './require-account.ts'

interface Target {
  readonly userId: string
  readonly key: string
}

export function listMetadata(
  _call: ManagementCall,
  { userId, ...request }: PageRequest & Pick<Target, 'userId'>,
  { stores }: Pick<ManagementServices, 'stores'>,
): Promise<Page<Metadata>> {
  return stores.metadata.list(userId, request)
}

export async function readMetadata(
  _call: ManagementCall,
  { userId, key }: Target,
  { stores }: Pick<ManagementServices, 'stores'>,
): Promise<Metadata> {
  const value = await stores.metadata.find(userId, key)
  if (value === undefined) throw unknownKey()
  return { key, value }
}

export function setMetadata(
  call: ManagementCall,
  { userId, key, value }: Target & { readonly value: Buffer },
): Promise<Metadata> {
  return call.change(async ({ accounts, metadata }) => {
    await requireAccount(accounts, userId)
    await metadata.set(userId, key, value)
    return { result: { key, value } }
  })
}

export function deleteMetadata(call: ManagementCall, { userId, key }: Target): Promise<void> {
  return call.change(async ({ metadata }) => {
    if (await metadata.delete(userId, key)) return { result: undefined }
    throw unknownKey()
  })
}

function unknownKey(): ApiError {
  return new ApiError('NOT_FOUND', 'the user has no metadata under this key', { reason: 'metadata_unknown' })
}
