import { requireServiceUser } from '../accounts/require-account.ts'
import type { ManagementCall, ManagementServices } from '../management-api/management-call.ts'
import type { Page, PageRequest } from '../management-api/paging.ts'
import type { RegisteredKey, ServiceUserKeyFile } from './credential.schema.ts'
import { keyFile, makeKey, type NewKey, unknownKey } from './make-key.ts'

interface Owner {
  readonly userId: string
}

export function listMachineKeys(
  _call: ManagementCall,
  { userId, ...request }: Owner & PageRequest,
  { stores }: Pick<ManagementServices, 'stores'>,
): Promise<Page<RegisteredKey>> {
  return stores.machineKeys.list(userId, request)
}

/** Registers a public key of a service user, or generates a pair and answers the private half, once. */
export async function createMachineKey(
  call: ManagementCall,
  { userId, ...wanted }: Owner & NewKey,
  { now }: Pick<ManagementServices, 'now'>,
): Promise<RegisteredKey & { readonly keyFile?: ServiceUserKeyFile }> {
  // Before the transaction: an RSA key takes a tenth of a second.
  const { key, privateKeyPem } = await makeKey(call.targetId, wanted, now())
  return call.change(async ({ accounts, machineKeys }) => {
    await requireServiceUser(accounts, userId, 'key')
    await machineKeys.add(userId, key)
    if (privateKeyPem === undefined) return { result: key }
    const file = { type: 'serviceaccount', ...keyFile(key, privateKeyPem), userId } as const
    return { result: { ...key, keyFile: file } }
  })
}

/** Assertions that name the key are refused everywhere within a second; tokens that were bought with it live on. */
export function deleteMachineKey(
  call: ManagementCall,
  { userId, keyId }: Owner & { readonly keyId: string },
): Promise<void> {
  return call.change(async ({ machineKeys }) => {
    if (await machineKeys.delete(userId, keyId)) return { result: undefined }
    throw unknownKey('user')
  })
}
