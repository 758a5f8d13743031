import { ApiError } from '@signet/admin-api/api-error'
import type { AccountStore } from '../accounts/account.repository.ts'
import { requireServiceUser } from '../accounts/require-account.ts'
import type { ManagementCall, Tools } from '../api/management-call.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { ClientSecretStore } from './client-secret.repository.ts'
import { type RotatedSecret, rotatedSecret, setServiceUserSecret } from './client-secret.ts'
import type { RegisteredKey, ServiceUserKeyFile } from './credential.schema.ts'
import { keyFile, makeKey, type NewKey, unknownKey } from './make-key.ts'
import type { RegisteredKeyStore } from './registered-key.repository.ts'

interface Stores {
  readonly accounts: AccountStore
  readonly clientSecrets: ClientSecretStore
  readonly machineKeys: RegisteredKeyStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

interface Owner {
  readonly userId: string
}

export function listMachineKeys(
  _call: ManagementCall<Stores>,
  { userId, ...request }: Owner & PageRequest,
  { stores }: Reads,
): Promise<Page<RegisteredKey>> {
  return stores.machineKeys.list(userId, request)
}

/** Registers a public key of a service user, or generates a pair and answers the private half, once. */
export async function createMachineKey(
  call: ManagementCall<Stores>,
  { userId, ...wanted }: Owner & NewKey,
  { now }: Pick<Tools, 'now'>,
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

/** All processes refuse assertions with the key within a second. Tokens that were issued for such assertions stay valid. */
export function deleteMachineKey(
  call: ManagementCall<Stores>,
  { userId, keyId }: Owner & { readonly keyId: string },
): Promise<void> {
  return call.change(async ({ machineKeys }) => {
    if (await machineKeys.delete(userId, keyId)) return { result: undefined }
    throw unknownKey('user')
  })
}

/**
 * Gives a service user a new secret for client_credentials. An overlap of 0 means that the old secret was disclosed: all tokens
 * of the service user are then revoked when this resolves.
 */
export function rotateServiceUserSecret(
  call: ManagementCall<Stores>,
  { userId, overlapSeconds }: Owner & { readonly overlapSeconds: number },
  services: Pick<Tools, 'now' | 'random' | 'hasher'>,
): Promise<RotatedSecret> {
  return call.change(async ({ accounts, clientSecrets }) => {
    const { clientId } = await requireServiceUser(accounts, userId, 'client secret')
    if (clientId === undefined) {
      throw new ApiError('FAILED_PRECONDITION', 'the service user has no clientId; give it one first', {
        reason: 'client_id_missing',
      })
    }
    const { stored, shown } = await rotatedSecret(clientId, overlapSeconds, services)
    const epochs = await setServiceUserSecret({ accounts, clientSecrets }, userId, stored)
    return { result: shown, epochs, details: { overlap_seconds: overlapSeconds } }
  })
}

/** Takes all secrets away. When it resolves, every token of the service user is dead. */
export function deleteServiceUserSecret(call: ManagementCall<Stores>, { userId }: Owner): Promise<void> {
  return call.change(async ({ accounts, clientSecrets }) => {
    await requireServiceUser(accounts, userId, 'client secret')
    if (!(await clientSecrets.deleteOfServiceUser(userId))) {
      throw new ApiError('NOT_FOUND', 'the service user has no secret', { reason: 'secret_unknown' })
    }
    return { result: undefined, epochs: await accounts.raiseEpoch(userId) }
  })
}
