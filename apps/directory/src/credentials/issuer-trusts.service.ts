import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import type { AccountStore } from '../accounts/account.repository.ts'
import { requireServiceUser } from '../accounts/require-account.ts'
import { changedFields, type ManagementCall, type Tools } from '../api/management-call.ts'
import { type DeclaredTrust, issuerTrustProblems, MOST_TRUSTS } from '../schema/issuer-trust.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { IssuerTrust, IssuerTrustStore } from './issuer-trust.repository.ts'

interface Stores {
  readonly accounts: AccountStore
  readonly issuerTrusts: IssuerTrustStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

interface Owner {
  readonly userId: string
}

export function listIssuerTrusts(
  _call: ManagementCall<Stores>,
  { userId, ...request }: Owner & PageRequest,
  { stores }: Reads,
): Promise<Page<IssuerTrust>> {
  return stores.issuerTrusts.list(userId, request)
}

/** Lets a service user present assertions of an issuer. */
export function createIssuerTrust(
  call: ManagementCall<Stores>,
  { userId, ...wanted }: Owner & Omit<IssuerTrust, 'id' | 'createdAt'>,
  { now }: Pick<Tools, 'now'>,
): Promise<IssuerTrust> {
  const trust = { ...wanted, id: call.targetId, createdAt: now() }
  return call.change(async ({ accounts, issuerTrusts }) => {
    await requireServiceUser(accounts, userId, 'trusted issuer')
    await addTrust(issuerTrusts, userId, trust)
    return { result: trust }
  })
}

/** All processes obey the new rules and keys within a second, and those of before until then. */
export function updateIssuerTrust(
  call: ManagementCall<Stores>,
  { userId, trustId, ...changes }: Owner & { readonly trustId: string } & TrustChanges,
): Promise<IssuerTrust> {
  return call.change(async ({ issuerTrusts }) => ({
    result: await changeTrust(issuerTrusts, userId, { trustId, changes }),
    details: changedFields(changes),
  }))
}

/** All processes refuse assertions of the issuer within a second. Tokens that were issued for such assertions stay valid. */
export function deleteIssuerTrust(
  call: ManagementCall<Stores>,
  { userId, trustId }: Owner & { readonly trustId: string },
): Promise<void> {
  return call.change(async ({ issuerTrusts }) => {
    await deleteTrust(issuerTrusts, userId, trustId)
    return { result: undefined }
  })
}

/** Adds a trust to its owner. Throws ApiError FAILED_PRECONDITION when the owner has as many as it may. */
export async function addTrust(trusts: IssuerTrustStore, ownerId: string, trust: IssuerTrust): Promise<void> {
  if ((await trusts.lockAndCount(ownerId)) >= MOST_TRUSTS) {
    throw new ApiError('FAILED_PRECONDITION', `it trusts ${MOST_TRUSTS} issuers, which is the most`, {
      reason: 'trusts_exhausted',
    })
  }
  await trusts.add(ownerId, trust)
}

export type TrustChanges = { readonly [Member in keyof DeclaredTrust]?: DeclaredTrust[Member] | undefined }

/**
 * Changes the rules of a trust. Throws ApiError NOT_FOUND for an unknown one, and INVALID_ARGUMENT for rules that exclude each
 * other, or for another issuer that would keep the uploaded keys of the one before.
 */
export async function changeTrust(
  trusts: IssuerTrustStore,
  ownerId: string,
  { trustId, changes }: { readonly trustId: string; readonly changes: TrustChanges },
): Promise<IssuerTrust> {
  const stored = await trusts.lockAndFind(ownerId, trustId)
  if (stored === undefined) throw unknownTrust()
  const { issuer = stored.issuer, subject = stored.subject, claims = stored.claims } = changes
  const { keySet = stored.keySet } = changes
  if (issuer !== stored.issuer && stored.keySet !== null && changes.keySet === undefined)
    throw invalidFields([{ field: 'keySet', rule: 'must be given with another issuer, or null' }])
  const problems = issuerTrustProblems({ issuer, subject, claims, keySet })
  if (problems.length > 0) throw invalidFields(problems)
  const changed = await trusts.replace(ownerId, { id: trustId, issuer, subject, claims, keySet })
  if (changed === undefined) throw unknownTrust()
  return changed
}

/** Deletes a trust. Throws ApiError NOT_FOUND for an unknown one. */
export async function deleteTrust(trusts: IssuerTrustStore, ownerId: string, trustId: string): Promise<void> {
  if (await trusts.delete(ownerId, trustId)) return
  throw unknownTrust()
}

const unknownTrust = () =>
  new ApiError('NOT_FOUND', 'it trusts no issuer with this id', { reason: 'trust_unknown' })
