import { ApiError } from '@signet/admin-api/api-error'
import type { AccountStore } from '../accounts/account.repository.ts'
import type { ManagementCall } from '../api/management-call.ts'
import type { OrganizationStore } from '../organizations/organization.repository.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { MetadataEntry, MetadataStore } from './metadata.repository.ts'

/** The stores of the use cases of this file. */
export interface MetadataStores {
  readonly accounts: AccountStore
  readonly organizationMetadata: MetadataStore
  readonly organizations: OrganizationStore
  readonly userMetadata: MetadataStore
}

/** The stores for reading; changes get theirs from the call. */
export interface MetadataReads {
  readonly stores: MetadataStores
}

/** The object that metadata belongs to. */
export interface MetadataOwner {
  /** The store that holds it. */
  readonly store: 'userMetadata' | 'organizationMetadata'
  readonly id: string
  /** Rejects with ApiError NOT_FOUND unless there is such an owner. */
  require(stores: MetadataStores): Promise<unknown>
}

export async function listMetadata(
  owner: MetadataOwner,
  request: PageRequest,
  { stores }: MetadataReads,
): Promise<Page<MetadataEntry>> {
  return stores[owner.store].list(owner.id, request)
}

export async function readMetadata(
  owner: MetadataOwner,
  key: string,
  { stores }: MetadataReads,
): Promise<MetadataEntry> {
  const value = await stores[owner.store].find(owner.id, key)
  if (value === undefined) throw unknownKey()
  return { key, value }
}

export function setMetadata(
  call: ManagementCall<MetadataStores>,
  owner: MetadataOwner,
  { key, value }: MetadataEntry,
): Promise<MetadataEntry> {
  return call.change(async (stores) => {
    await owner.require(stores)
    await stores[owner.store].set(owner.id, key, value)
    return { result: { key, value } }
  })
}

export function deleteMetadata(
  call: ManagementCall<MetadataStores>,
  owner: MetadataOwner,
  key: string,
): Promise<void> {
  return call.change(async (stores) => {
    if (await stores[owner.store].delete(owner.id, key)) return { result: undefined }
    throw unknownKey()
  })
}

function unknownKey(): ApiError {
  return new ApiError('NOT_FOUND', 'there is no metadata under this key', { reason: 'metadata_unknown' })
}
